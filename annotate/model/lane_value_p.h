/* What the files of the arithmetic of lanes share: what holds for all values (lane_value.c),
   operations on known ones (lane_known.c) and on shifted ones (lane_shift.c).  */
#ifndef ANNOTATE_MODEL_LANE_VALUE_P_H
#define ANNOTATE_MODEL_LANE_VALUE_P_H

#include "annotate/model/lane_p.h"

/* The bits of A and B, mixed: what names an atom. Never 0. */
uint64_t lanes_mix(uint64_t a, uint64_t b);

static inline uint64_t lanes_magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* VALUE brought to a C type. */
static inline int64_t lanes_wrap(int64_t value, unsigned bytes, bool is_signed)
{
    switch (bytes) {
    case 1:
        return is_signed ? (int64_t)(int8_t)value : (int64_t)(uint8_t)value;
    case 2:
        return is_signed ? (int64_t)(int16_t)value : (int64_t)(uint16_t)value;
    case 4:
        return is_signed ? (int64_t)(int32_t)value : (int64_t)(uint32_t)value;
    default:
        return value;
    }
}

/* The step of a value: 0 for a known one. */
static inline uint64_t lanes_step(const struct lanes *a)
{
    return a->state == LANES_SHIFTED ? a->step : 0;
}

static inline bool lanes_is_comparison(enum token_kind op)
{
    return op == TOK_LESS || op == TOK_GREATER || op == TOK_LESS_EQUAL || op == TOK_GREATER_EQUAL ||
           op == TOK_EQUAL || op == TOK_NOT_EQUAL;
}

static inline bool lanes_is_shift(enum token_kind op)
{
    return op == TOK_SHIFT_LEFT || op == TOK_SHIFT_RIGHT;
}

/* LANES, whose values may all be the same. */
struct lanes lanes_settled(const struct lane_machine *machine, struct lanes lanes);

/* An unknown value of TYPE that comes of A and B (NULL: of A alone). */
struct lanes lanes_unknown_like(struct lanes type, const struct lanes *a, const struct lanes *b);

/* As lanes_some(), of TYPE. */
struct lanes lanes_some_like(struct lanes type, int64_t base, uint64_t step);

/* What makes up A, which is the same for all threads; 0: nobody knows. */
uint64_t lanes_identity(const struct lanes *a);

/* A OP B of two that are the same for all threads: so is it, of TYPE. */
struct lanes lanes_some_result(struct lanes type, enum token_kind op, const struct lanes *a,
                               const struct lanes *b);

/* A OP B of two known ones. TYPE is that of the operation, RESULT that of what comes out. */
struct lanes lanes_known_binary(struct lane_machine *machine, enum token_kind op, struct lanes type,
                                struct lanes result, const struct lanes *a, const struct lanes *b);

/* A OP B, of TYPE, where at least one of them is shifted and none is unknown. */
struct lanes lanes_shifted_binary(struct lane_machine *machine, enum token_kind op,
                                  struct lanes type, struct lanes a, struct lanes b);

#endif
