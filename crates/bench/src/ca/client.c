/* A client of Channel Access through libca, the same for every server of `livetime-bench ca`. Prints one JSON object.
 *
 * client get NAMES COUNT SECONDS PAUSE_US   rounds: a get of each of COUNT numbers, until the last answer
 * client put NAME SECONDS                   puts of 1 that wait until the work has ended
 * client image NAME TRIGGER BYTES SECONDS   a monitor of pictures; each one asks for the next by a put to TRIGGER
 * client watch NAMES COUNT SECONDS          monitors of COUNT numbers
 * client hold NAMES COUNT                   opens COUNT channels, prints, and holds them until its input ends
 *
 * NAMES is a file with a name on each line; names of texts and arrays are passed over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cadef.h>
#include <epicsAtomic.h>
#include <epicsEvent.h>

#define PATIENCE 60.0
#define MOST_ROUNDS 2000000

static double *times;
static long rounds;

static void fail(const char *why)
{
    printf("{\"error\": \"%s\"}\n", why);
    exit(1);
}

static void check(int status)
{
    if (status != ECA_NORMAL)
        fail(ca_message(status));
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double part)
{
    return rounds ? 1e6 * times[(long)(part * (rounds - 1) + 0.5)] : 0.0;
}

/* The rounds so far: their rate, and how long they took. */
static void told(double seconds, double connected)
{
    qsort(times, rounds, sizeof *times, compare);
    printf("{\"rounds\": %ld, \"per_s\": %.3f, \"p50_us\": %.2f, \"p99_us\": %.2f, \"max_us\": %.2f, \"connect_s\": %.4f}\n",
           rounds, rounds / seconds, quantile(0.5), quantile(0.99), quantile(1.0), connected);
}

/* Opens channels of the names in a file, and keeps `wanted` of them that are numbers. */
static chid *open_all(const char *path, long wanted)
{
    FILE *file = fopen(path, "r");
    char name[256];
    long count = 0, kept = 0, size = 1024;
    chid *channels = malloc(size * sizeof *channels);
    if (!file)
        fail("no file of names");
    while (fscanf(file, "%255s", name) == 1) {
        if (count == size)
            channels = realloc(channels, (size *= 2) * sizeof *channels);
        check(ca_create_channel(name, NULL, NULL, 0, &channels[count++]));
    }
    fclose(file);
    check(ca_pend_io(PATIENCE));
    for (long i = 0; i < count; i++) {
        int is_number = ca_element_count(channels[i]) == 1 && ca_field_type(channels[i]) != DBR_STRING;
        if (kept < wanted && is_number)
            channels[kept++] = channels[i];
        else
            check(ca_clear_channel(channels[i]));
    }
    if (kept < wanted)
        fail("too few numbers among the names");
    check(ca_flush_io());
    return channels;
}

static void get(const char *path, long count, double seconds, long pause_us)
{
    double begin = now(), last, end;
    chid *channels = open_all(path, count);
    double connected = now() - begin;
    double *values = calloc(count, 8);
    last = begin = now();
    end = begin + seconds;
    do {
        for (long i = 0; i < count; i++)
            check(ca_get(ca_field_type(channels[i]), channels[i], &values[i]));
        check(ca_pend_io(PATIENCE));
        double t = now();
        times[rounds++] = t - last;
        if (pause_us)
            usleep(pause_us);
        last = pause_us ? now() : t;
    } while (last < end && rounds < MOST_ROUNDS);
    told(last - begin, connected);
}

static epicsEventId written;
static int put_status;

static void on_put(struct event_handler_args args)
{
    put_status = args.status;
    epicsEventSignal(written);
}

static chid open_one(const char *name)
{
    chid channel;
    check(ca_create_channel(name, NULL, NULL, 0, &channel));
    check(ca_pend_io(PATIENCE));
    return channel;
}

static void put(const char *name, double seconds)
{
    chid channel = open_one(name);
    dbr_short_t one = 1;
    double begin = now(), last = begin, end = begin + seconds;
    do {
        check(ca_put_callback(DBR_SHORT, channel, &one, on_put, NULL));
        check(ca_flush_io());
        if (epicsEventWaitWithTimeout(written, PATIENCE) != epicsEventOK)
            fail("a put does not end");
        check(put_status);
        double t = now();
        times[rounds++] = t - last;
        last = t;
    } while (last < end && rounds < MOST_ROUNDS);
    told(last - begin, 0);
}

static chid trigger;
static long wanted_bytes;
static int wrong, ended;
static double last_picture;

static void ask(void)
{
    dbr_short_t one = 1;
    ca_put(DBR_SHORT, trigger, &one);
    ca_flush_io();
}

static void on_picture(struct event_handler_args args)
{
    double t = now();
    if (epicsAtomicGetIntT(&ended))
        return;
    if (args.status != ECA_NORMAL || args.count != wanted_bytes)
        epicsAtomicIncrIntT(&wrong);
    else if (rounds < MOST_ROUNDS)
        times[rounds++] = t - last_picture;
    last_picture = t;
    ask();
}

static void image(const char *name, const char *by, long bytes, double seconds)
{
    chid channel = open_one(name);
    trigger = open_one(by);
    wanted_bytes = bytes;
    last_picture = now();
    check(ca_create_subscription(DBR_CHAR, bytes, channel, DBE_VALUE, on_picture, NULL, NULL));
    check(ca_flush_io());
    double begin = now();
    usleep((useconds_t)(seconds * 1e6));
    double took = now() - begin;
    epicsAtomicSetIntT(&ended, 1);
    if (epicsAtomicGetIntT(&wrong))
        fail("a picture of another size");
    told(took, 0);
}

static int updates;

static void on_update(struct event_handler_args args)
{
    (void)args;
    epicsAtomicIncrIntT(&updates);
}

static void watch(const char *path, long count, double seconds)
{
    chid *channels = open_all(path, count);
    for (long i = 0; i < count; i++)
        check(ca_create_subscription(ca_field_type(channels[i]) + DBR_TIME_STRING, 1, channels[i], DBE_VALUE | DBE_ALARM,
                                     on_update, NULL, NULL));
    check(ca_flush_io());
    double begin = now();
    usleep((useconds_t)(seconds * 1e6));
    printf("{\"updates_per_s\": %.1f}\n", epicsAtomicGetIntT(&updates) / (now() - begin));
}

static void hold(const char *path, long count)
{
    double begin = now();
    open_all(path, count);
    printf("{\"connect_s\": %.4f}\n", now() - begin);
    fflush(stdout);
    while (getchar() != EOF)
        ;
}

int main(int argc, char **argv)
{
    times = malloc(MOST_ROUNDS * sizeof *times);
    written = epicsEventMustCreate(epicsEventEmpty);
    check(ca_context_create(ca_enable_preemptive_callback));
    if (argc == 6 && !strcmp(argv[1], "get"))
        get(argv[2], atol(argv[3]), atof(argv[4]), atol(argv[5]));
    else if (argc == 4 && !strcmp(argv[1], "put"))
        put(argv[2], atof(argv[3]));
    else if (argc == 6 && !strcmp(argv[1], "image"))
        image(argv[2], argv[3], atol(argv[4]), atof(argv[5]));
    else if (argc == 5 && !strcmp(argv[1], "watch"))
        watch(argv[2], atol(argv[3]), atof(argv[4]));
    else if (argc == 4 && !strcmp(argv[1], "hold"))
        hold(argv[2], atol(argv[3]));
    else
        fail("wanted get, put, image, watch or hold");
    /* Without the farewell of libca, which may wait for its threads. */
    fflush(stdout);
    _exit(0);
}
