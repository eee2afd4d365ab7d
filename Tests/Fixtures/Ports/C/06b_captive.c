/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 06b_captive: interfaces monitored by Captive Network Assistant.
 *
 * Usage:    06b_captive
 * Expected with Ethernet only: none: <SCErrorString>    or just    0 interface(s)
 * Expected with Wi-Fi:         1 interface(s)
 *                              en1
 * The cable makes no difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/CaptiveNetwork.h>
#include <SystemConfiguration/SystemConfiguration.h>

int main(int argc, const char * argv[])
{
    CFArrayRef  names = CNCopySupportedInterfaces();
    CFErrorRef  error;
    CFStringRef text;
    char        buf[256];

    (void)argc; (void)argv;

    if (names == NULL) {
        /* the same error in two ways */
        printf("none: %s\n", SCErrorString(SCError()));
        error = SCCopyLastError();
        if (error != NULL) {
            if (CFErrorGetCode(error) != SCError())
                printf("SCCopyLastError has code %ld, SCError is %d\n",
                    (long) CFErrorGetCode(error), SCError());
            text = CFErrorCopyDescription(error);
            if (text != NULL && CFStringGetCString(text, buf, sizeof(buf), kCFStringEncodingUTF8))
                fprintf(stderr, "%s\n", buf);
            if (text != NULL)
                CFRelease(text);
            CFRelease(error);
        }
        return EXIT_SUCCESS;
    }

    printf("%ld interface(s)\n", (long) CFArrayGetCount(names));
    for (CFIndex i = 0; i < CFArrayGetCount(names); i++) {
        if (CFStringGetCString(CFArrayGetValueAtIndex(names, i), buf, sizeof(buf), kCFStringEncodingUTF8))
            printf("%s\n", buf);
    }
    CFRelease(names);
    return EXIT_SUCCESS;
}
