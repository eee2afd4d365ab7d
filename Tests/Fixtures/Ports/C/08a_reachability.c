/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 08a_reachability: watches whether a host (or 0.0.0.0) is reachable.
 *
 * Usage:    08a_reachability [name | IPv4 address]       (default 0.0.0.0)
 * Expected: 0.0.0.0: -------R 0x00000002
 *           with 192.0.2.1:   d------R 0x00020002        (the router, on our subnet)
 *           with 127.0.0.1:   -l-----R 0x00010002
 * Address removed or cable pulled:
 *           0.0.0.0: -------- 0x00000000
 * The line may be repeated: the callback also tells the first state.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <dispatch/dispatch.h>
#include <SystemConfiguration/SCNetworkReachability.h>

static void
print_flags(const char *name, SCNetworkReachabilityFlags flags)
{
	printf("%s: %c%c%c%c%c%c%c%c 0x%08x\n",
	       name,
	       (flags & kSCNetworkReachabilityFlagsIsDirect) ? 'd' : '-',
	       (flags & kSCNetworkReachabilityFlagsIsLocalAddress) ? 'l' : '-',
	       (flags & kSCNetworkReachabilityFlagsConnectionOnDemand) ? 'D' : '-',
	       (flags & kSCNetworkReachabilityFlagsInterventionRequired) ? 'i' : '-',
	       (flags & kSCNetworkReachabilityFlagsConnectionOnTraffic) ? 'C' : '-',
	       (flags & kSCNetworkReachabilityFlagsConnectionRequired) ? 'c' : '-',
	       (flags & kSCNetworkReachabilityFlagsTransientConnection) ? 't' : '-',
	       (flags & kSCNetworkReachabilityFlagsReachable) ? 'R' : '-',
	       (unsigned)flags);
	fflush(stdout);
}

static void
callback(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info)
{
	(void)target;
	print_flags((const char *)info, flags);
}

static SCNetworkReachabilityRef
create_target(const char *name)
{
	struct sockaddr_in	sin;
	struct sockaddr_in6	sin6;

	memset(&sin, 0, sizeof(sin));
	sin.sin_family = AF_INET;
#ifdef __APPLE__
	sin.sin_len = sizeof(sin);
#endif
	if (inet_pton(AF_INET, name, &sin.sin_addr) == 1) {
		return SCNetworkReachabilityCreateWithAddress(NULL, (struct sockaddr *)&sin);
	}
	memset(&sin6, 0, sizeof(sin6));
	sin6.sin6_family = AF_INET6;
#ifdef __APPLE__
	sin6.sin6_len = sizeof(sin6);
#endif
	if (inet_pton(AF_INET6, name, &sin6.sin6_addr) == 1) {
		return SCNetworkReachabilityCreateWithAddress(NULL, (struct sockaddr *)&sin6);
	}
	return SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, name);
}

int
main(int argc, char **argv)
{
	const char			*name = argc > 1 ? argv[1] : "0.0.0.0";
	SCNetworkReachabilityContext	context = { 0, (void *)name, NULL, NULL, NULL };
	SCNetworkReachabilityFlags	flags;
	SCNetworkReachabilityRef	target;

	target = create_target(name);
	if (target == NULL) {
		printf("%s: cannot create target\n", name);
		return 1;
	}
	if (SCNetworkReachabilityGetFlags(target, &flags)) {
		print_flags(name, flags);
	} else {
		printf("%s: could not determine reachability\n", name);
	}
	if (!SCNetworkReachabilitySetCallback(target, callback, &context) ||
	    !SCNetworkReachabilitySetDispatchQueue(target, dispatch_get_main_queue())) {
		printf("%s: cannot watch\n", name);
		return 1;
	}
	dispatch_main();
}
