#include <config.h>

#include "base/lcs.h"

#include <stdbool.h>
#include <string.h>

/* E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, section 4b: paths of D
   edits from both corners meet in the middle, and the two halves are solved in the same way. The
   paths are given up after LCS_EFFORT edits; then the one that got furthest is cut at its end. */

/* The elements from A of the one and from B of the other sequence; or, where ONLY_RUN is set, that
   many which are known to be the same. */
struct box {
    size_t a, a_count, b, b_count;
    bool only_run;
};

struct point {
    size_t a, b;
};

/* For each diagonal K (elements of the first less those of the second), how many of the first a
   path of the given number of edits can pass at most; -1 where there is no path. */
struct front {
    long items[2 * LCS_EFFORT + 3];
};

struct search {
    const void *const *a, *const *b;
    struct lcs *res;
    VEC(struct box) open; /* a stack, the first one on top */
    struct front front[2];
};

static long *front_at(struct front *front, long k)
{
    return &front->items[k + LCS_EFFORT + 1];
}

static void add_run(struct lcs *res, size_t a, size_t b, size_t count)
{
    struct lcs_run *last = res->runs.count ? &res->runs.items[res->runs.count - 1] : NULL;
    if (!count)
        return;
    if (last && last->a + last->count == a && last->b + last->count == b)
        last->count += count;
    else
        *vec_push(&res->runs) = (struct lcs_run){a, b, count};
}

/* Takes what is the same at both ends off BOX: into the result, and onto the stack. */
static void trim(struct search *s, struct box *box)
{
    const void *const *a = s->a + box->a, *const *b = s->b + box->b;
    size_t most = box->a_count < box->b_count ? box->a_count : box->b_count, n = 0, tail = 0;
    while (n < most && a[n] == b[n])
        ++n;
    s->res->steps += n + 1;
    add_run(s->res, box->a, box->b, n);
    while (tail < most - n && a[box->a_count - 1 - tail] == b[box->b_count - 1 - tail])
        ++tail;
    s->res->steps += tail;
    box->a += n;
    box->b += n;
    box->a_count -= n + tail;
    box->b_count -= n + tail;
    if (tail)
        *vec_push(&s->open) = (struct box){.a = box->a + box->a_count,
                                           .a_count = tail,
                                           .b = box->b + box->b_count,
                                           .b_count = tail,
                                           .only_run = true};
}

/* The elements that are the same from (X, Y) on; from the ends of BOX backwards if BACK. */
static long slide(struct search *s, const struct box *box, long x, long y, bool back)
{
    long begin = x;
    const void *const *a = s->a + box->a, *const *b = s->b + box->b;
    long n = (long)box->a_count, m = (long)box->b_count;
    if (back)
        while (x < n && y < m && a[n - 1 - x] == b[m - 1 - y])
            ++x, ++y;
    else
        while (x < n && y < m && a[x] == b[y])
            ++x, ++y;
    s->res->steps += (size_t)(x - begin) + 1;
    return x;
}

/* Extends the paths of D - 1 edits in FRONT by one edit on diagonal K; how far they get, or -1. */
static long extend(struct search *s, const struct box *box, bool back, long d, long k)
{
    struct front *front = &s->front[back];
    long n = (long)box->a_count, m = (long)box->b_count, x = -1;
    if (d == 0) {
        x = 0;
    } else {
        long left = *front_at(front, k - 1), up = *front_at(front, k + 1);
        if (0 <= left && left < n)
            x = left + 1;
        if (0 <= up && up - k <= m && x < up)
            x = up;
    }
    if (0 <= x)
        x = slide(s, box, x, x - k, back);
    *front_at(front, k) = x;
    return x;
}

/* Lets the paths of one direction make their D-th edit. Whether one of them meets one of the other
   direction, which made OTHER_D; where in *MEET. */
static bool advance(struct search *s, const struct box *box, bool back, long d, long other_d,
                    struct point *meet)
{
    long n = (long)box->a_count, m = (long)box->b_count;
    *front_at(&s->front[back], -d - 1) = *front_at(&s->front[back], d + 1) = -1;
    for (long k = -d; k <= d; k += 2) {
        long x = extend(s, box, back, d, k), other_k = n - m - k;
        if (x < 0 || other_k < -other_d || other_d < other_k || (other_k + other_d) % 2)
            continue;
        long other = *front_at(&s->front[!back], other_k);
        if (other < 0 || x + other < n)
            continue;
        *meet = (struct point){(size_t)(back ? n - x : x), (size_t)(back ? m - (x - k) : x - k)};
        return true;
    }
    return false;
}

/* The end of the path that got furthest in D edits. */
static struct point furthest(struct search *s, const struct box *box, long d)
{
    struct point res = {0, 0};
    long best = -1;
    for (int back = 0; back < 2; ++back)
        for (long k = -d; k <= d; k += 2) {
            long x = *front_at(&s->front[back], k);
            if (x < 0 || 2 * x - k <= best)
                continue;
            best = 2 * x - k;
            res = (struct point){(size_t)x, (size_t)(x - k)};
            if (back)
                res = (struct point){box->a_count - res.a, box->b_count - res.b};
        }
    return res;
}

/* Where to cut BOX, whose ends differ, so that each half is smaller. */
static struct point find_middle(struct search *s, const struct box *box)
{
    struct point res;
    for (long d = 0; d <= LCS_EFFORT; ++d)
        if (advance(s, box, false, d, d - 1, &res) || advance(s, box, true, d, d, &res))
            return res;
    return furthest(s, box, LCS_EFFORT);
}

void lcs_find(struct lcs *res, const void *const *a, size_t a_count, const void *const *b,
              size_t b_count)
{
    struct search s = {.a = a, .b = b, .res = res};
    *vec_push(&s.open) = (struct box){.a_count = a_count, .b_count = b_count};
    while (s.open.count) {
        struct box box = s.open.items[--s.open.count];
        if (box.only_run) {
            add_run(res, box.a, box.b, box.a_count);
            continue;
        }
        trim(&s, &box);
        if (!box.a_count || !box.b_count)
            continue;
        struct point cut = find_middle(&s, &box);
        *vec_push(&s.open) = (struct box){.a = box.a + cut.a,
                                          .a_count = box.a_count - cut.a,
                                          .b = box.b + cut.b,
                                          .b_count = box.b_count - cut.b};
        *vec_push(&s.open) =
            (struct box){.a = box.a, .a_count = cut.a, .b = box.b, .b_count = cut.b};
    }
    vec_release(&s.open);
}

void lcs_release(struct lcs *lcs)
{
    vec_release(&lcs->runs);
}
