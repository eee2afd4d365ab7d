/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the flags of a host whenever they change, on CoreFoundation's run loop, which Swift's toolchain contains. On Linux
 * the port of a source of version 1 is a descriptor (CFRunLoop.h):
 *     S=/opt/swift/usr/lib/swift
 *     clang corefoundation.c -fblocks -isystem $S $(pkg-config --cflags --libs reachability) \
 *         -L$S/linux -lFoundation -Wl,-rpath,$S/linux -o corefoundation && ./corefoundation www.swift.org
 */
#include <CoreFoundation/CoreFoundation.h>
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>

static long calls_left;

static void changed(unsigned int flags, void *host) {
    printf("%s: 0x%08x\n", (const char *)host, flags);
    fflush(stdout);
    if (--calls_left == 0) CFRunLoopStop(CFRunLoopGetCurrent());
}

static int descriptor(void *watcher) { return reachability_watcher_descriptor(watcher); }

static void process(void *watcher) {
    reachability_error error;
    if (reachability_watcher_process(watcher, &error) == REACHABILITY_OK) return;
    fprintf(stderr, "%s\n", error.message);
    CFRunLoopStop(CFRunLoopGetCurrent());
}

int main(int count, char **words) {
    reachability_target *target;
    reachability_watcher *watcher;
    reachability_error error;
    CFRunLoopSourceContext1 context = { 1, 0, 0, 0, 0, 0, 0, 0, 0 };
    CFRunLoopSourceRef source;

    if (count < 2) return 64;
    calls_left = count > 2 ? atol(words[2]) : -1;
    if (reachability_target_create(words[1], NULL, &target, &error)
        || reachability_watcher_create(&watcher, &error)
        || reachability_watcher_add(watcher, target, changed, words[1], NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    context.info = watcher;
    context.getPort = descriptor;
    context.perform = process;
    source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    CFRunLoopSourceInvalidate(source);
    CFRelease(source);
    reachability_watcher_free(watcher);
    reachability_target_free(target);
    return 0;
}
