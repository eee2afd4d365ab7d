/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 02c_transfer_init: what a transfer library does on the Mac before its first
 * getaddrinfo(): SCDynamicStoreCopyProxies is called and its result thrown
 * away, because only then IPv4 literals are synthesized to IPv6 on NAT64
 * networks.
 *
 * Usage:    02c_transfer_init [host]                 (default 192.0.2.1)
 * Expected: init ok
 *           192.0.2.1
 * With the cable pulled the same; a host name then fails:
 *           init ok
 *           box2.example.test: nodename nor servname provided, or not known
 *           (the text is that of the C library's gai_strerror)
 */
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <netdb.h>

#if defined(__APPLE__)
#include <TargetConditionals.h>
#if TARGET_OS_MAC && !TARGET_OS_IPHONE
#define MACOS_CALL_COPYPROXIES 1
#endif
#else
#define MACOS_CALL_COPYPROXIES 1
#endif

#ifdef MACOS_CALL_COPYPROXIES
#include <SystemConfiguration/SCDynamicStoreCopySpecific.h>
#endif

typedef enum { INIT_OK, INIT_FAILED } initcode;

static initcode macos_init(void)
{
#ifdef MACOS_CALL_COPYPROXIES
  CFDictionaryRef dict = SCDynamicStoreCopyProxies(NULL);
  if(dict)
    CFRelease(dict);
#endif
  return INIT_OK;
}

int main(int argc, char *argv[])
{
  const char *host = argc > 1 ? argv[1] : "192.0.2.1";
  struct addrinfo hints, *res = NULL, *ai;
  char name[NI_MAXHOST];
  int i, rc;

  /* is called once per handle by careless users: must be cheap and safe */
  for(i = 0; i < 100; i++) {
    if(macos_init() != INIT_OK) {
      printf("init failed\n");
      return 2;
    }
  }
  printf("init ok\n");

  memset(&hints, 0, sizeof(hints));
  hints.ai_socktype = SOCK_STREAM;
  rc = getaddrinfo(host, NULL, &hints, &res);
  if(rc) {
    printf("%s: %s\n", host, gai_strerror(rc));
    return 6;
  }
  for(ai = res; ai; ai = ai->ai_next) {
    if(!getnameinfo(ai->ai_addr, ai->ai_addrlen, name, sizeof(name), NULL, 0, NI_NUMERICHOST))
      printf("%s\n", name);
  }
  freeaddrinfo(res);
  return 0;
}
