#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "random.h"
static void show(const struct tm *t) {
    printf("%d-%d-%d %d:%d:%d %d %d %d %ld %s\n", t->tm_year, t->tm_mon, t->tm_mday, t->tm_hour, t->tm_min, t->tm_sec, t->tm_wday, t->tm_yday, t->tm_isdst, t->tm_gmtoff, t->tm_zone);
}
int main(int argc, char **argv) {
    seed_from(argc, argv);
    setenv("TZ", "UTC0", 1);
    tzset();
    char out[400];
    static const char *formats[] = {"%Y-%m-%d %H:%M:%S", "%c", "%D %T %r %R", "%a %A %b %B %h", "%j %U %W %V %G %g %u %w", "%e|%k|%l|%I|%p|%P", "%C %y %F", "%-d %_d %0e %^a %#Z %5Y %-H %_5d", "%s %z %Z", "%%%n%t", "%x %X", "%10A|%-10A|%^B", "%05Y %03d %-5d", "%Ec %OH %Ey"};
    for (int i = 0; i < 150; i++) {
        time_t when = below(4) ? (time_t)(some_number() % 100000000000LL) : (time_t)some_number();
        struct tm t, *r;
        memset(&t, 0, sizeof t);
        errno = 0;
        r = gmtime_r(&when, &t);
        printf("%lld %d ", (long long)when, r ? 0 : errno);
        if (!r) {
            printf("\n");
            continue;
        }
        show(&t);
        printf("%s", asctime_r(&t, out) ? out : "none\n");
        localtime_r(&when, &t);
        show(&t);
        const char *f = formats[below(sizeof formats / sizeof *formats)];
        size_t n = strftime(out, below(4) ? sizeof out : (size_t)below(30), f, &t);
        printf("%s: %zu %s\n", f, n, n ? out : "");
        struct tm u;
        memset(&u, 0, sizeof u);
        u.tm_year = below(300) - 50;
        u.tm_mon = below(60) - 30;
        u.tm_mday = below(200) - 100;
        u.tm_hour = below(100) - 50;
        u.tm_min = below(200) - 100;
        u.tm_sec = below(4000) - 2000;
        u.tm_isdst = below(2) - 1;
        struct tm v = u;
        printf("%lld ", (long long)mktime(&u));
        show(&u);
        printf("%lld ", (long long)timegm(&v));
        show(&v);
    }
    static const char *texts[][2] = {{"2024-02-29 12:34:56", "%Y-%m-%d %H:%M:%S"}, {"Mon Jan  5 2015", "%a %b %d %Y"}, {"12/31/99", "%D"}, {"1:05 PM", "%I:%M %p"}, {"2020 100", "%Y %j"}, {"Tuesday, 3 march 70", "%A, %d %B %y"}, {"25:00", "%H:%M"}, {"  7  8", "%d %m"}, {"19 05", "%C %y"}};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tm t;
        memset(&t, 0, sizeof t);
        char *end = strptime(texts[i][0], texts[i][1], &t);
        printf("%s: ", texts[i][0]);
        if (end) {
            printf("[%s] ", end);
            printf("%d %d %d %d %d %d %d %d\n", t.tm_year, t.tm_mon, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, t.tm_wday, t.tm_yday);
        } else printf("no\n");
    }
    time_t zero = 0;
    printf("%s%s", ctime(&zero), ctime_r(&zero, out));
    printf("%g\n", difftime(10, 25));
    return 0;
}
