#include <config.h>

#include "cli/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/xalloc.h"

enum slot_state {
    SLOT_EMPTY,
    SLOT_READY,
};

struct slot {
    enum slot_state state;
    void *result;
    size_t weight;
};

/* So much may lie ready behind a slow result, for each thread: what others get done meanwhile is
   not lost, and memory stays bounded. */
enum { AHEAD_COUNT = 1024, AHEAD_WEIGHT = 8 * 1024 * 1024 };

struct pool {
    const struct pool_work *work;
    pthread_mutex_t lock;
    pthread_cond_t room;  /* a slot became empty, or it is over */
    pthread_cond_t ready; /* a slot became ready */
    size_t next;          /* the first index nobody has begun */
    size_t finished;      /* results handed over */
    size_t window;        /* slots: index I has slot I % window */
    size_t weight;        /* of the results that are ready */
    size_t weight_max;
    struct slot *slots;
    bool stop;
};

/* Whether the next result would have to wait too far behind. Those that the result to be handed
   over next waits for are under way already. */
static bool is_far_ahead(const struct pool *pool)
{
    return pool->window <= pool->next - pool->finished || pool->weight_max < pool->weight;
}

static void *run_worker(void *arg)
{
    struct pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->next < pool->work->count && is_far_ahead(pool))
            pthread_cond_wait(&pool->room, &pool->lock);
        if (pool->stop || pool->next == pool->work->count)
            break;
        size_t index = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        void *result = pool->work->make(pool->work->context, index);
        size_t weight = pool->work->weigh(result);
        pthread_mutex_lock(&pool->lock);
        pool->slots[index % pool->window] = (struct slot){SLOT_READY, result, weight};
        pool->weight += weight;
        pthread_cond_signal(&pool->ready);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void run_alone(const struct pool_work *work)
{
    for (size_t i = 0; i < work->count; ++i)
        if (!work->finish(work->context, i, work->make(work->context, i)))
            break;
}

static unsigned processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int res = CPU_COUNT(&set);
    return res < 1 ? 1 : (unsigned)res;
}

/* Starts up to COUNT threads; returns how many. Signals are left to the calling thread. */
static unsigned start(struct pool *pool, pthread_t *threads, unsigned count)
{
    sigset_t all, before;
    unsigned res = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (res < count && !pthread_create(&threads[res], NULL, run_worker, pool))
        ++res;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return res;
}

void pool_run(const struct pool_work *work)
{
    unsigned jobs = work->jobs ? work->jobs : work->count < 2 ? 1 : processors();
    if (work->count < jobs)
        jobs = (unsigned)work->count;
    if (jobs < 2) {
        run_alone(work);
        return;
    }
    struct pool pool = {.work = work,
                        .window = AHEAD_COUNT * (size_t)jobs,
                        .weight_max = AHEAD_WEIGHT * (size_t)jobs};
    if (work->count < pool.window)
        pool.window = work->count;
    pool.slots = xcalloc(pool.window, sizeof *pool.slots);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.room, NULL);
    pthread_cond_init(&pool.ready, NULL);
    pthread_t *threads = xcalloc(jobs, sizeof *threads);
    unsigned started = start(&pool, threads, jobs);
    if (!started)
        run_alone(work);
    pthread_mutex_lock(&pool.lock);
    while (started && !pool.stop && pool.finished < work->count) {
        struct slot *slot = &pool.slots[pool.finished % pool.window];
        if (slot->state == SLOT_EMPTY) {
            pthread_cond_wait(&pool.ready, &pool.lock);
            continue;
        }
        void *result = slot->result;
        size_t index = pool.finished;
        pthread_mutex_unlock(&pool.lock);
        bool more = work->finish(work->context, index, result);
        pthread_mutex_lock(&pool.lock);
        pool.weight -= slot->weight;
        *slot = (struct slot){SLOT_EMPTY, NULL, 0};
        pool.finished++;
        pool.stop = !more;
        pthread_cond_broadcast(&pool.room);
    }
    pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < started; ++i)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < pool.window; ++i)
        if (pool.slots[i].state == SLOT_READY)
            work->drop(pool.slots[i].result);
    free(threads);
    free(pool.slots);
    pthread_cond_destroy(&pool.ready);
    pthread_cond_destroy(&pool.room);
    pthread_mutex_destroy(&pool.lock);
}
