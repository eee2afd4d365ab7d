/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 09a_notifier_thread: a network change notifier as a browser has it: a thread
 * of its own with its own run loop, keys for interfaces by pattern, and a
 * clean end in the right thread.
 *
 * Usage:    09a_notifier_thread [seconds]                  (default 10)
 * Expected: notifier started
 *           notifier stopped after 0 notification(s)
 * Cable pulled meanwhile (order may differ, several keys may come in one call):
 *           link changed: State:/Network/Interface/en0/Link
 *           address changed: State:/Network/Interface/en0/IPv4
 *           default route changed: State:/Network/Global/IPv4
 * Address removed: the same without the "link changed" line.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>

struct notifier {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ready;
  CFRunLoopRef run_loop;
  SCDynamicStoreRef store;
  CFRunLoopSourceRef source;
  int notifications;
  bool initialized;
};

static void OnChange(SCDynamicStoreRef store, CFArrayRef changed_keys, void* info) {
  struct notifier* self = info;
  char name[256];
  (void)store;
  self->notifications++;
  for (CFIndex i = 0; i < CFArrayGetCount(changed_keys); ++i) {
    CFStringRef key = CFArrayGetValueAtIndex(changed_keys, i);
    const char* what = "address";
    if (CFStringHasPrefix(key, CFSTR("State:/Network/Global")))
      what = "default route";
    else if (CFStringHasSuffix(key, kSCEntNetLink))
      what = "link";
    CFStringGetCString(key, name, sizeof(name), kCFStringEncodingUTF8);
    printf("%s changed: %s\n", what, name);
  }
  fflush(stdout);
}

static bool SetUpStore(struct notifier* self) {
  SCDynamicStoreContext context = {0, self, NULL, NULL, NULL};
  CFMutableArrayRef keys = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
  CFMutableArrayRef patterns = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
  const CFStringRef global[] = {kSCEntNetIPv4, kSCEntNetIPv6};
  const CFStringRef interface[] = {kSCEntNetLink, kSCEntNetIPv4, kSCEntNetIPv6};

  self->store = SCDynamicStoreCreate(NULL, CFSTR("org.example.notifier"), OnChange, &context);
  if (!self->store)
    return false;
  for (size_t i = 0; i < sizeof(global) / sizeof(global[0]); ++i) {
    CFStringRef key = SCDynamicStoreKeyCreateNetworkGlobalEntity(NULL, kSCDynamicStoreDomainState, global[i]);
    CFArrayAppendValue(keys, key);
    CFRelease(key);
  }
  for (size_t i = 0; i < sizeof(interface) / sizeof(interface[0]); ++i) {
    CFStringRef key = SCDynamicStoreKeyCreateNetworkInterfaceEntity(
        NULL, kSCDynamicStoreDomainState, kSCCompAnyRegex, interface[i]);
    CFArrayAppendValue(patterns, key);
    CFRelease(key);
  }
  bool ok = SCDynamicStoreSetNotificationKeys(self->store, keys, patterns);
  CFRelease(keys);
  CFRelease(patterns);
  return ok;
}

static void* ThreadMain(void* arg) {
  struct notifier* self = arg;
  bool ok = SetUpStore(self);
  if (ok) {
    self->source = SCDynamicStoreCreateRunLoopSource(NULL, self->store, 0);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), self->source, kCFRunLoopCommonModes);
  } else {
    printf("cannot watch: %s\n", SCErrorString(SCError()));
  }
  pthread_mutex_lock(&self->lock);
  self->run_loop = (CFRunLoopRef)CFRetain(CFRunLoopGetCurrent());
  self->initialized = true;
  pthread_cond_signal(&self->ready);
  pthread_mutex_unlock(&self->lock);
  if (ok) {
    CFRunLoopRun();
    CFRunLoopRemoveSource(CFRunLoopGetCurrent(), self->source, kCFRunLoopCommonModes);
    CFRelease(self->source);
  }
  if (self->store) CFRelease(self->store);
  return NULL;
}

int main(int argc, char** argv) {
  static struct notifier notifier = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
  pthread_create(&notifier.thread, NULL, ThreadMain, &notifier);
  pthread_mutex_lock(&notifier.lock);
  while (!notifier.initialized)
    pthread_cond_wait(&notifier.ready, &notifier.lock);
  pthread_mutex_unlock(&notifier.lock);
  printf("notifier started\n");
  fflush(stdout);
  sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 10);
  CFRunLoopStop(notifier.run_loop);
  pthread_join(notifier.thread, NULL);
  CFRelease(notifier.run_loop);
  printf("notifier stopped after %d notification(s)\n", notifier.notifications);
  return 0;
}
