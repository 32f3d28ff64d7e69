#include <config.h>

#include "annotate/gpu/lds.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum {
    WORD_SHIFT = 2,                      /* of LDS_BANK_BYTES */
    HALF = 32,                           /* the lane orders repeat after so many lanes */
    MAX_WORDS = 16 / LDS_BANK_BYTES + 1, /* of a lane; one more where it is not aligned */
};

enum order {
    STRAIGHT,
    SWIZZLED,
    SWIZZLED16,
};

enum operation {
    READ,
    WRITE,
};

struct rule {
    enum lds_model set;
    enum operation operation;
    enum order order;
    struct lds_rule known;
};

/* The short words of banks.def stand for these. */
#define MEASURED LDS_MEASURED
#define STATED LDS_STATED
#define INFERRED LDS_INFERRED
#define DISPUTED LDS_DISPUTED

const char *const lds_model_words[] = {
    "unknown",
#define BANK_SET(id, word) word,
#define BANK_RULE(set, operation, bytes, banks, lanes, order, port, trust, source)
#include "annotate/gpu/banks.def"
#undef BANK_SET
#undef BANK_RULE
    NULL,
};

static const struct rule rules[] = {
#define BANK_SET(id, word)
#define BANK_RULE(set, operation, bytes, banks, lanes, order, port, trust, source) \
    {LDS_##set, operation, order, {bytes, banks, lanes, port, trust, source}},
#include "annotate/gpu/banks.def"
#undef BANK_SET
#undef BANK_RULE
};

/* The lanes of a half that go together, where they are not consecutive. */
static const uint32_t swizzled[] = {
    0x00f0000f, /* 0-3, 20-23 */
    0x000f00f0, /* 4-7, 16-19 */
    0xf0000f00, /* 8-11, 28-31 */
    0x0f00f000, /* 12-15, 24-27 */
};
static const uint32_t swizzled16[] = {
    0x0ff0f00f, /* 0-3, 12-15, 20-27 */
    0xf00f0ff0, /* 4-11, 16-19, 28-31 */
};

bool lds_is_width(unsigned bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
}

const char *lds_trust_word(enum lds_trust trust)
{
    static const char *const words[] = {
        [LDS_MEASURED] = "measured",
        [LDS_STATED] = "stated",
        [LDS_INFERRED] = "inferred",
        [LDS_DISPUTED] = "disputed",
    };
    return words[trust];
}

/* The first rule that is wide enough; those of a set are sorted by width. */
static const struct rule *find_rule(enum lds_model model, unsigned bytes, bool write)
{
    const struct rule *res = rules;
    while (res->set != model || res->operation != (write ? WRITE : READ) ||
           res->known.bytes < bytes)
        ++res;
    return res;
}

const struct lds_rule *lds_find_rule(enum lds_model model, unsigned bytes, bool write)
{
    return &find_rule(model, bytes, write)->known;
}

unsigned lds_phases(enum lds_model model, unsigned wave, unsigned bytes, bool write,
                    uint64_t phases[LDS_MAX_PHASES])
{
    const struct rule *rule = find_rule(model, bytes, write);
    unsigned lanes = rule->known.lanes, count = 0;
    for (unsigned at = 0; at < wave; at += lanes) {
        unsigned half = at / HALF * HALF, number = at % HALF / lanes;
        uint64_t group = rule->order == SWIZZLED     ? swizzled[number]
                         : rule->order == SWIZZLED16 ? swizzled16[number]
                         : lanes == 64               ? UINT64_MAX
                                                     : ((UINT64_C(1) << lanes) - 1) << at % HALF;
        phases[count++] = (group << half) & (wave == HALF ? UINT32_MAX : UINT64_MAX);
    }
    return count;
}

/* The words that the lanes of a phase touch, each once, in one list for each bank. */
struct words {
    unsigned count;
    int8_t used[LDS_MAX_BANKS]; /* how many of a bank */
    int16_t first[LDS_MAX_BANKS];
    struct {
        int64_t word;
        int16_t next; /* of the same bank, or -1 */
    } list[LDS_MAX_LANES * MAX_WORDS];
};

static void add_word(struct words *words, unsigned bank, int64_t word)
{
    for (int i = words->used[bank] ? words->first[bank] : -1; 0 <= i; i = words->list[i].next)
        if (words->list[i].word == word)
            return;
    words->list[words->count].word = word;
    words->list[words->count].next = words->used[bank] ? words->first[bank] : (int16_t)-1;
    words->first[bank] = (int16_t)words->count++;
    ++words->used[bank];
}

/* Adds the words of LANES, and to TOUCHED[bank] the lanes that touch it (if it is not NULL). */
static void add_lanes(struct words *words, unsigned banks, unsigned bytes, uint64_t lanes,
                      const int64_t *address, struct lds_bank *touched)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctzll(rest);
        if (address[lane] == LDS_INACTIVE)
            continue;
        /* Shifts and masks, which round down below 0 too; there are 32 or 64 banks. */
        int64_t last = (address[lane] + bytes - 1) >> WORD_SHIFT;
        for (int64_t word = address[lane] >> WORD_SHIFT; word <= last; ++word) {
            unsigned bank = (unsigned)word & (banks - 1);
            add_word(words, bank, word);
            if (touched)
                touched[bank].lanes |= UINT64_C(1) << lane;
        }
    }
}

struct lds_cost lds_cost(enum lds_model model, unsigned wave, unsigned bytes, bool write,
                         const int64_t *address)
{
    struct lds_cost res = {0};
    uint64_t phases[LDS_MAX_PHASES];
    unsigned banks = find_rule(model, bytes, write)->known.banks;
    res.phase_count = lds_phases(model, wave, bytes, write, phases);
    for (unsigned i = 0; i < res.phase_count; ++i) {
        struct lds_phase *phase = &res.phases[i];
        struct words words;
        words.count = 0;
        memset(words.used, 0, sizeof words.used);
        phase->lanes = phases[i];
        for (unsigned lane = 0; lane < wave; ++lane)
            if (phases[i] >> lane & 1 && address[lane] != LDS_INACTIVE)
                phase->active |= UINT64_C(1) << lane;
        add_lanes(&words, banks, bytes, phase->active, address, NULL);
        for (unsigned bank = 0; bank < banks; ++bank)
            if (phase->cycles < (unsigned)words.used[bank]) {
                phase->cycles = (unsigned)words.used[bank];
                phase->worst_bank = bank;
            }
        res.cycles += phase->cycles;
        res.ideal += phase->active != 0;
        if (res.worst_way < phase->cycles)
            res.worst_way = phase->cycles;
    }
    return res;
}

unsigned lds_bank_use(enum lds_model model, unsigned bytes, bool write, uint64_t lanes,
                      const int64_t *address, struct lds_bank banks[LDS_MAX_BANKS])
{
    unsigned count = find_rule(model, bytes, write)->known.banks;
    struct words words;
    words.count = 0;
    memset(words.used, 0, sizeof words.used);
    memset(banks, 0, LDS_MAX_BANKS * sizeof *banks);
    add_lanes(&words, count, bytes, lanes, address, banks);
    for (unsigned bank = 0; bank < count; ++bank)
        banks[bank].words = (unsigned)words.used[bank];
    return count;
}

struct lds_sum lds_block_cost(enum lds_model model, unsigned wave, unsigned bytes, bool write,
                              const int64_t *address, size_t threads)
{
    struct lds_sum res = {0};
    unsigned worst = 0;
    for (size_t at = 0; at < threads; at += wave, ++res.waves) {
        int64_t lanes[LDS_MAX_LANES];
        for (unsigned lane = 0; lane < wave; ++lane)
            lanes[lane] = at + lane < threads ? address[at + lane] : LDS_INACTIVE;
        struct lds_cost cost = lds_cost(model, wave, bytes, write, lanes);
        res.cycles += cost.cycles;
        res.ideal += cost.ideal;
        if (res.worst_way < cost.worst_way)
            res.worst_way = cost.worst_way;
        if (worst < cost.cycles) {
            worst = cost.cycles;
            res.worst_wave = res.waves;
        }
    }
    return res;
}

int64_t lds_address(const struct lds_array *array, const struct lds_layout *layout,
                    const int64_t *index)
{
    int64_t row = 0, column = index[array->dims - 1];
    for (unsigned i = 0; i + 1 < array->dims; ++i)
        row = row * array->size[i] + index[i];
    if (layout->mask)
        column ^= (row * (layout->times ? layout->times : 1) >> layout->row_shift & layout->mask)
                  << layout->scale;
    if (layout->skew)
        column += column >> layout->skew;
    return (row * (array->size[array->dims - 1] + layout->pad) + column) *
           (array->element + layout->grow);
}

int64_t lds_array_bytes(const struct lds_array *array, const struct lds_layout *layout)
{
    int64_t rows = 1, columns = array->size[array->dims - 1];
    for (unsigned i = 0; i + 1 < array->dims; ++i)
        rows *= array->size[i];
    if (layout->skew)
        columns += (columns - 1) >> layout->skew;
    return rows * (columns + layout->pad) * (array->element + layout->grow);
}

/* The addresses of USE; the caller frees them. */
static int64_t *addresses(const struct lds_array *array, const struct lds_layout *layout,
                          const struct lds_use *use)
{
    int64_t *res = xmalloc(use->threads * sizeof *res);
    for (size_t i = 0; i < use->threads; ++i) {
        const int64_t *index = &use->index[i * array->dims];
        res[i] = *index == LDS_INACTIVE ? LDS_INACTIVE : lds_address(array, layout, index);
    }
    return res;
}

struct lds_sum lds_use_cost(enum lds_model model, unsigned wave, const struct lds_array *array,
                            const struct lds_layout *layout, const struct lds_use *use)
{
    int64_t *address = addresses(array, layout, use);
    struct lds_sum res = lds_block_cost(model, wave, use->bytes, use->write, address, use->threads);
    free(address);
    return res;
}

/* ---- The searches */

/* What a search works on, and the best that it has met. */
struct search {
    enum lds_model model;
    unsigned wave;
    const struct lds_array *array;
    const struct lds_use *uses;
    size_t count;
    struct lds_fix best;
};

static void weigh(const struct search *s, const struct lds_layout *layout, uint64_t *cycles,
                  uint64_t *ideal)
{
    *cycles = *ideal = 0;
    for (size_t i = 0; i < s->count; ++i) {
        struct lds_sum sum = lds_use_cost(s->model, s->wave, s->array, layout, &s->uses[i]);
        *cycles += sum.cycles;
        *ideal += sum.ideal;
    }
}

/* Begins with the layout as it is. */
static void begin(struct search *s)
{
    static const struct lds_layout plain = {0};
    weigh(s, &plain, &s->best.cycles, &s->best.ideal);
}

/* Whether nothing can be better than the best. */
static bool done(const struct search *s)
{
    return s->best.cycles == s->best.ideal;
}

static void try(struct search *s, const struct lds_layout *layout)
{
    uint64_t cycles, ideal;
    weigh(s, layout, &cycles, &ideal);
    if (s->best.cycles <= cycles)
        return;
    static const struct lds_layout plain = {0};
    s->best = (struct lds_fix){
        .found = true,
        .free = cycles == ideal,
        .layout = *layout,
        .cycles = cycles,
        .ideal = ideal,
        .more_bytes = lds_array_bytes(s->array, layout) - lds_array_bytes(s->array, &plain),
    };
}

/* The alignment of an access of BYTES bytes. */
static int64_t alignment(unsigned bytes)
{
    return bytes == 12 ? 4 : (int64_t)bytes;
}

/* Whether LAYOUT keeps aligned what is wider than an element. */
static bool stays_aligned(const struct search *s, const struct lds_layout *layout)
{
    for (size_t i = 0; i < s->count; ++i) {
        const struct lds_use *use = &s->uses[i];
        if (layout->grow % alignment(use->bytes))
            return false;
        if (use->bytes <= s->array->element)
            continue;
        int64_t *address = addresses(s->array, layout, use);
        bool good = true;
        for (size_t k = 0; k < use->threads; ++k)
            if (address[k] != LDS_INACTIVE && address[k] % alignment(use->bytes))
                good = false;
        free(address);
        if (!good)
            return false;
    }
    return true;
}

/* Whether an access touches more than one element. */
static bool has_wide(const struct search *s)
{
    for (size_t i = 0; i < s->count; ++i)
        if (s->array->element < s->uses[i].bytes)
            return true;
    return false;
}

/* The pads up to MOST with GROW bytes more in each element, from none on if there are any. */
static void try_pads(struct search *s, unsigned grow, unsigned most)
{
    for (unsigned pad = !grow; pad <= most && !done(s); ++pad) {
        struct lds_layout layout = {.pad = pad, .grow = grow};
        if (stays_aligned(s, &layout))
            try(s, &layout);
    }
}

/* Whether all accesses touch a part of an element only. */
static bool all_narrow(const struct search *s)
{
    for (size_t i = 0; i < s->count; ++i)
        if (s->array->element <= s->uses[i].bytes)
            return false;
    return true;
}

struct lds_fix lds_find_pad(enum lds_model model, unsigned wave, const struct lds_array *array,
                            const struct lds_use *uses, size_t count, unsigned most)
{
    enum { MOST_GROW = 16 };
    struct search s = {model, wave, array, uses, count, {0}};
    begin(&s);
    if (1 < array->dims)
        try_pads(&s, 0, most);
    else
        /* From the widest gaps on. A skew could tear the elements of a wide access apart. */
        for (unsigned skew = 12; skew && !done(&s) && !has_wide(&s); --skew)
            if ((array->size[0] - 1) >> skew)
                try(&s, &(struct lds_layout){.skew = skew});
    for (unsigned grow = 4; grow <= MOST_GROW && !done(&s) && all_narrow(&s); grow += 4)
        try_pads(&s, grow, array->dims == 1 ? 0 : most);
    return s.best;
}

/* The smallest scale whose blocks no access of USES crosses, or -1 where there is none. */
static int smallest_scale(const struct search *s)
{
    int res = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const struct lds_use *use = &s->uses[i];
        unsigned elements = use->bytes / s->array->element;
        if (elements < 2)
            continue;
        if (elements & (elements - 1))
            return -1;
        for (size_t k = 0; k < use->threads; ++k) {
            const int64_t *index = &use->index[k * s->array->dims];
            if (*index != LDS_INACTIVE && index[s->array->dims - 1] % elements)
                return -1;
        }
        int scale = __builtin_ctz(elements);
        if (res < scale)
            res = scale;
    }
    return res;
}

enum { MOST_SHIFT = 6, MOST_SCALE = 6, MOST_MASK = LDS_MAX_BANKS - 1 };

/* The swizzles of some form, with masks that keep a column in its row: whole blocks only. */
static void try_masks(struct search *s, struct lds_layout layout)
{
    int64_t columns = s->array->size[s->array->dims - 1];
    for (layout.mask = 1; layout.mask <= MOST_MASK && !done(s); layout.mask = 2 * layout.mask + 1) {
        if (columns % ((int64_t)(layout.mask + 1) << layout.scale))
            break;
        try(s, &layout);
    }
}

struct lds_fix lds_find_xor(enum lds_model model, unsigned wave, const struct lds_array *array,
                            const struct lds_use *uses, size_t count)
{
    struct search s = {model, wave, array, uses, count, {0}};
    begin(&s);
    int least = smallest_scale(&s);
    if (array->dims == 1 || least < 0)
        return s.best;
    for (unsigned scale = (unsigned)least; scale <= MOST_SCALE; ++scale)
        for (unsigned shift = 0; shift <= MOST_SHIFT; ++shift)
            try_masks(&s, (struct lds_layout){.row_shift = shift, .scale = scale});
    /* Where a phase has a few rows in one access and many in the other: the low bits of the row
       once as they are, for many rows, and once above, so that even two rows lie far apart. */
    for (unsigned scale = (unsigned)least; scale <= MOST_SCALE; ++scale)
        for (unsigned times = 3; times <= MOST_MASK; times = 2 * times - 1)
            try_masks(&s, (struct lds_layout){.times = times, .row_shift = scale, .scale = scale});
    return s.best;
}
