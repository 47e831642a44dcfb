/*
 * NAME     sum_to_all - time shmem_double_sum_to_all over all PEs
 *
 * PURPOSE  This program is a baseline in C for `python -m redcoll bench`. It measures like
 *          redcoll/bench/timing.py. Calls rotate through several sets of buffers, and each source
 *          is written before its call. The result is the time of the slowest PE, without the
 *          warm-up. Every sum is checked.
 *
 * USAGE    oshcc -O2 sum_to_all.c -o sum_to_all -lm
 *          oshrun -n 4 ./sum_to_all REPEATS BATCH_SECONDS BYTES:SETS ...
 *
 *          PE 0 prints a JSON object on each line: bytes, calls per repeat, seconds per call for
 *          each repeat, and error, which is null or the number of wrong elements.
 */
#define _POSIX_C_SOURCE 200112L

#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SETS = 8, MOST_REPEATS = 1000, MOST_CALLS = 1000000, WARM_UP_SHARE = 10 };

static int me, n_pes;

/* Buffer sets, and two pairs of work arrays. Calls use the pairs alternately, so they need no
 * barrier between them. */
static double *sources[MOST_SETS], *targets[MOST_SETS];
static double *works[2];
static long *syncs[2];
static double *own_s, *slowest_s, *small_work;
static long *small_sync;

static void fail(const char *text)
{
    fprintf(stderr, "sum_to_all: PE %d: %s\n", me, text);
    shmem_global_exit(1);
}

static void *allocate(size_t n_bytes)
{
    void *block = shmem_malloc(n_bytes);
    if (!block)
        fail("the symmetric heap is too small");
    return block;
}

static long *new_sync(void)
{
    long *sync = allocate(SHMEM_REDUCE_SYNC_SIZE * sizeof *sync);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    return sync;
}

static double *new_work(size_t count)
{
    size_t n_elements = count / 2 + 1;
    if (n_elements < SHMEM_REDUCE_MIN_WRKDATA_SIZE)
        n_elements = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
    return allocate(n_elements * sizeof(double));
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* Return the contribution of PE `pe` at `i`, a whole number, so that sums are exact. */
static double value(size_t i, int set, int repeat, int pe)
{
    return (double)(1 + (i * 7 + set * 3 + repeat) % 61) * (pe + 1);
}

static void fill(size_t count, int n_sets, int repeat)
{
    for (int set = 0; set < n_sets; set++)
        for (size_t i = 0; i < count; i++)
            sources[set][i] = value(i, set, repeat, me);
}

static void poison(size_t count, int n_sets)
{
    for (int set = 0; set < n_sets; set++)
        memset(targets[set], 0xA5, count * sizeof(double));
}

static void run(size_t count, int n_sets, long n_calls)
{
    int set = 0, mark = 0;
    for (long call = 0; call < n_calls; call++) {
        /* Change the last bits only, so that the sum stays within the tolerance. */
        *(unsigned char *)sources[set] = (unsigned char)mark;
        shmem_double_sum_to_all(targets[set], sources[set], (int)count, 0, 0, n_pes,
                                works[call & 1], syncs[call & 1]);
        if (++set == n_sets) {
            set = 0;
            mark ^= 1;
        }
    }
}

static double maximum(double mine_s)
{
    *own_s = mine_s;
    shmem_double_max_to_all(slowest_s, own_s, 1, 0, 0, n_pes, small_work, small_sync);
    double result = *slowest_s;
    shmem_barrier_all();
    return result;
}

/* Time a batch of calls; return the seconds of the slowest PE. */
static double batch_s(size_t count, int n_sets, long n_calls)
{
    long warm_up = n_calls / WARM_UP_SHARE;
    run(count, n_sets, warm_up > 0 ? warm_up : 1);
    shmem_barrier_all();
    poison(count, n_sets);
    shmem_barrier_all();
    double start_s = now_s();
    run(count, n_sets, n_calls);
    double took_s = now_s() - start_s;
    return maximum(took_s);
}

/* Return the number of wrong elements on all PEs. */
static double check(size_t count, int n_sets, int repeat)
{
    double wrong = 0;
    for (int set = 0; set < n_sets; set++)
        for (size_t i = 0; i < count; i++) {
            double wanted = value(i, set, repeat, 0) * n_pes * (n_pes + 1) / 2;
            if (!(fabs(targets[set][i] - wanted) <= 1e-12 * wanted))
                wrong++;
        }
    return maximum(wrong);
}

static long calibrate(size_t count, int n_sets, double wanted_s)
{
    long n_calls = n_sets;
    for (;;) {
        double took_s = fmax(batch_s(count, n_sets, n_calls), 1e-9);
        if (took_s >= wanted_s / 4)
            /* The batch may have been delayed, so time it again. */
            took_s = fmax(fmin(took_s, batch_s(count, n_sets, n_calls)), 1e-9);
        if (took_s >= wanted_s / 4 || n_calls >= MOST_CALLS) {
            double wanted = n_calls * wanted_s / took_s;
            if (wanted > MOST_CALLS)
                return MOST_CALLS;
            return wanted < n_sets ? n_sets : (long)wanted;
        }
        double growth = wanted_s / 2 / took_s;
        n_calls = (long)(n_calls * (growth < 2 ? 2 : growth > 10 ? 10 : growth));
    }
}

static void measure(size_t n_bytes, int n_sets, int repeats, double wanted_s)
{
    double seconds[MOST_REPEATS], wrong = 0;
    size_t count = n_bytes / sizeof(double) ? n_bytes / sizeof(double) : 1;
    for (int set = 0; set < n_sets; set++) {
        sources[set] = allocate(count * sizeof(double));
        targets[set] = allocate(count * sizeof(double));
    }
    for (int i = 0; i < 2; i++)
        works[i] = new_work(count);
    fill(count, n_sets, 0);
    shmem_barrier_all();
    long n_calls = calibrate(count, n_sets, wanted_s);
    for (int repeat = 0; repeat < repeats; repeat++) {
        fill(count, n_sets, repeat);
        shmem_barrier_all();
        seconds[repeat] = batch_s(count, n_sets, n_calls) / n_calls;
        wrong += check(count, n_sets, repeat);
    }
    if (me == 0) {
        printf("{\"bytes\": %zu, \"calls\": %ld, \"seconds\": [", n_bytes, n_calls);
        for (int repeat = 0; repeat < repeats; repeat++)
            printf("%s%.4g", repeat ? ", " : "", seconds[repeat]);
        if (wrong > 0)
            printf("], \"error\": \"%.0f elements are wrong\"}\n", wrong);
        else
            printf("], \"error\": null}\n");
        fflush(stdout);
    }
    shmem_barrier_all();
    for (int i = 0; i < 2; i++)
        shmem_free(works[i]);
    for (int set = 0; set < n_sets; set++) {
        shmem_free(targets[set]);
        shmem_free(sources[set]);
    }
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    n_pes = shmem_n_pes();
    int repeats = argc > 3 ? atoi(argv[1]) : 0;
    double wanted_s = argc > 3 ? atof(argv[2]) : 0;
    if (repeats < 1 || repeats > MOST_REPEATS || !(wanted_s > 0))
        fail("usage: sum_to_all REPEATS BATCH_SECONDS BYTES:SETS ...");
    for (int i = 0; i < 2; i++)
        syncs[i] = new_sync();
    small_sync = new_sync();
    small_work = new_work(1);
    own_s = allocate(sizeof *own_s);
    slowest_s = allocate(sizeof *slowest_s);
    shmem_barrier_all();
    for (int i = 3; i < argc; i++) {
        size_t n_bytes;
        int n_sets;
        if (sscanf(argv[i], "%zu:%d", &n_bytes, &n_sets) != 2 || n_sets < 1 || n_sets > MOST_SETS)
            fail("a size is written BYTES:SETS, SETS from 1 to 8");
        measure(n_bytes, n_sets, repeats, wanted_s);
    }
    shmem_finalize();
    return 0;
}
