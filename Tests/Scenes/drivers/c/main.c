/* SPDX-License-Identifier: Apache-2.0
 *
 * The scenes' driver for reachability.h: questions, and watching by a watcher. See Tests/Scenes/README.md for the lines it
 * reads and writes.
 */
#include <poll.h>
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest_line = 512, most_watched = 16 };

static reachability_error error;

static void fail(const char *what) {
    fprintf(stderr, "scene-c: %s: %s\n", what, error.message);
    exit(1);
}

/* "TARGET [OPTION=VALUE]…". */
static reachability_target *make_target(const char *question) {
    char words[largest_line];
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_target *target;
    unsigned int mark, user;

    snprintf(words, sizeof words, "%s", question);
    char *text = strtok(words, " ");
    for (char *word = strtok(NULL, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        if (!value) fail(word);
        *value++ = '\0';
        if (strcmp(word, "interface") == 0) {
            options.interface_name = value;
        } else if (strcmp(word, "source") == 0) {
            options.source_address = value;
        } else if (strcmp(word, "mark") == 0) {
            mark = (unsigned int)strtoul(value, NULL, 0);
            options.mark = &mark;
        } else if (strcmp(word, "uid") == 0) {
            user = (unsigned int)strtoul(value, NULL, 0);
            options.user_id = &user;
        } else if (strcmp(word, "transport") == 0) {
            options.transport = strcmp(value, "udp") == 0 ? REACHABILITY_TRANSPORT_UDP : REACHABILITY_TRANSPORT_TCP;
        } else if (strcmp(word, "port") == 0) {
            options.port = (unsigned int)strtoul(value, NULL, 0);
        } else {
            fail(word);
        }
    }
    char *remote = strchr(text, ',');
    int code;
    if (remote) {
        *remote++ = '\0';
        code = reachability_target_create_pair(*text ? text : NULL, *remote ? remote : NULL, &options, &target, &error);
    } else if (strcmp(text, "default") == 0) {
        code = reachability_target_create_default(&options, &target, &error);
    } else {
        code = reachability_target_create(text, &options, &target, &error);
    }
    if (code != REACHABILITY_OK) fail(text);
    return target;
}

/* Prints ` NAME=VALUE` of a member of a JSON object that is a text without escapes, or null. */
static void print_member(const char *json, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *value = strstr(json, key);
    if (!value) fail(key);
    value += strlen(key);
    int length = *value == '"' ? (int)strcspn(++value, "\"") : 0;
    printf(" %s=%.*s", name, length > 0 ? length : 4, length > 0 ? value : "none");
}

/* The ways to ask must give the same flags and reason. If they do not, both are written, which no scene expects. */
static void answer(const char *question) {
    reachability_target *target = make_target(question);
    unsigned int flags = 0, again = 0;
    int reason = 0, reason_again = 0;
    char *json = NULL;

    if (reachability_target_get_flags(target, &flags, &reason, &error) != REACHABILITY_OK
        || reachability_target_get_reason(target, &again, &reason_again, NULL, &error) != REACHABILITY_OK
        || reachability_target_explain_json(target, &json, &error) != REACHABILITY_OK)
        fail(question);
    printf("answer flags=%u", flags);
    if (again != flags) printf("/%u", again);
    if (reason_again != reason) printf(" reason=%d/%d", reason, reason_again);
    print_member(json, "code");
    print_member(json, "interface");
    print_member(json, "gateway");
    print_member(json, "source");
    putchar('\n');
    free(json);
    reachability_target_free(target);
}

static void tell(unsigned int flags, void *question) {
    printf("told c %s -> flags=%u\n", (char *)question, flags);
}

int main(void) {
    char line[largest_line];
    char *questions[most_watched];
    int watched = 0;
    reachability_watcher *watcher;

    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (reachability_watcher_create(&watcher, &error) != REACHABILITY_OK) fail("watcher");
    struct pollfd ready[2] = { { 0, POLLIN, 0 }, { reachability_watcher_descriptor(watcher), POLLIN, 0 } };
    while (poll(ready, 2, -1) > 0) {
        if (ready[1].revents && reachability_watcher_process(watcher, &error) != REACHABILITY_OK) fail("process");
        if (!ready[0].revents) continue;
        if (!fgets(line, sizeof line, stdin)) break;
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "ask ", 4) == 0) {
            answer(line + 4);
        } else if (strncmp(line, "watch ", 6) == 0 && watched < most_watched) {
            char *question = questions[watched++] = strdup(line + 6);
            reachability_target *target = make_target(question);
            if (reachability_watcher_add(watcher, target, tell, question, NULL, NULL, &error) != REACHABILITY_OK)
                fail(question);
            reachability_target_free(target);
            printf("watching %s\n", question);
        } else {
            fail(line);
        }
    }
    reachability_watcher_free(watcher);
    while (watched > 0) free(questions[--watched]);
    return 0;
}
