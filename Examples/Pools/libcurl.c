/* SPDX-License-Identifier: Apache-2.0
 *
 * Gets a URL twice whenever it is told a path, and says which connections it has made for that. One made by another network, or
 * before the machine slept, is not used any more:
 *     cc libcurl.c $(pkg-config --cflags --libs reachability libcurl) -o pool && ./pool http://www.swift.org
 */
#include <curl/curl.h>
#include <poll.h>
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>

struct pool {
    CURLM *multi;
    uint64_t identity;
    int is_stale;
    int running;
    int is_told;
};

/* Told by reachability_watcher_process, on the thread that has the pool. */
static void path_changed(const reachability_path *path, void *context) {
    struct pool *pool = context;
    if (pool->identity != 0 && pool->identity != path->identity) {
#ifdef CURLMNWC_CLEAR_CONNS /* libcurl 8.16 */
        curl_multi_setopt(pool->multi, CURLMOPT_NETWORK_CHANGED, CURLMNWC_CLEAR_CONNS);
#else
        pool->is_stale = 1;
#endif
    }
    pool->identity = path->identity;
    pool->is_told = 1;
}

/* Before libcurl 8.16 a pool is replaced when nothing is running in it. Until then, transfers make connections of their own. */
static void begin(struct pool *pool, CURL *transfer) {
    if (pool->is_stale && pool->running == 0) {
        curl_multi_cleanup(pool->multi);
        pool->multi = curl_multi_init();
        pool->is_stale = 0;
    }
    curl_easy_setopt(transfer, CURLOPT_FRESH_CONNECT, (long)pool->is_stale);
    curl_multi_add_handle(pool->multi, transfer);
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

/* Returns whether the transfer has made a connection. */
static int get(struct pool *pool, const char *url) {
    CURL *transfer = curl_easy_init();
    long made = 0;

    curl_easy_setopt(transfer, CURLOPT_URL, url);
    curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, ignore);
    begin(pool, transfer);
    do {
        curl_multi_perform(pool->multi, &pool->running);
        if (pool->running) curl_multi_poll(pool->multi, NULL, 0, 1000, NULL);
    } while (pool->running);
    curl_easy_getinfo(transfer, CURLINFO_NUM_CONNECTS, &made);
    curl_multi_remove_handle(pool->multi, transfer);
    curl_easy_cleanup(transfer);
    return made != 0;
}

int main(int count, char **words) {
    struct pool pool = { NULL, 0, 0, 0, 0 };
    reachability_watcher *watcher;
    reachability_error error;
    struct pollfd request = { -1, POLLIN, 0 };

    if (count < 2) return 64;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    pool.multi = curl_multi_init();
    if (reachability_watcher_create(&watcher, &error)
        || reachability_watcher_add_path(watcher, NULL, path_changed, &pool, NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    request.fd = reachability_watcher_descriptor(watcher);
    while (poll(&request, 1, -1) == 1 && reachability_watcher_process(watcher, &error) == REACHABILITY_OK) {
        if (!pool.is_told) continue;
        pool.is_told = 0;
        printf("%s, ", get(&pool, words[1]) ? "new" : "reused");
        printf("%s\n", get(&pool, words[1]) ? "new" : "reused");
        fflush(stdout);
    }
    return 2;
}
