#!/usr/bin/env bash
# hipwright banks: its figures, its advice, its complaints.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

column=(banks --type=float '--index=[tx][ty]' '--block=32,8')

# cost TARGET CYCLES IDEAL ARGUMENT...: the block's figures.
cost() {
    local target=$1 cycles=$2 ideal=$3
    shift 3
    run 0 banks --target="$target" --format=json "$@" &&
        has out "\"block_cycles\": $cycles, \"block_ideal_cycles\": $ideal," && [ ! -s err ]
}
# refuses TEXT ARGUMENT...: status 2, TEXT on standard error, nothing on standard output.
refuses() {
    local text=$1
    shift
    run 2 banks "$@" && has err "$text" && [ ! -s out ]
}

column_text() {
    run 0 "${column[@]}" --array=32,32 && [ ! -s err ] &&
        has out "sm_80: reads of 4 bytes, waves of 32 lanes, 32 banks" &&
        has out "gfx942: reads of 4 bytes, waves of 64 lanes, 32 banks" &&
        has out "block of 32 x 8: cycles 256, ideal 8, at worst 32-way conflicts" &&
        has out "      2      32  32-63" &&
        has out "pad by 1 to [32][33]: no conflicts, 4224 bytes instead of 4096" &&
        has out "use [i][j ^ (i & 31)]: no conflicts, no bytes more"
}
ok "a column of a square tile" column_text
padded_text() {
    run 0 "${column[@]}" --array=32,33 --target=gfx942 &&
        has out "block of 32 x 8: cycles 8, ideal 8, no conflicts" && lacks out pad &&
        lacks out "[i][j"
}
ok "a column of a padded tile" padded_text
swizzled_lanes() {
    run 0 banks --type=float4 --index=tid --target=gfx942 &&
        has out "      1       1  0-3,20-23" && lacks out inferred &&
        run 0 banks --type=float4 --index=tid --target=gfx90a && has out "inferred"
}
ok "lanes of a phase, and how sure they are" swizzled_lanes
disputed() {
    run 0 banks --type=float --index=33*tid --target=gfx950 && has out gfx950-64banks
}
ok "sources that do not agree" disputed
idle() {
    run 0 banks --type=float --index=tid --if='tid<0' --target=sm_80 &&
        has out "cycles 0, ideal 0" && has out "      1       0  -"
}
ok "no thread at all" idle

ok "json: read" cost gfx942 256 8 --type=float '--index=[tx][ty]' --block=32,8 --array=32,32
ok "json: nvidia" cost sm_80 256 8 --type=float '--index=[tx][ty]' --block=32,8 --array=32,32
ok "json: write" cost gfx950 32 32 --type=float4 --index=tid --write
ok "json: read, other banks" cost gfx950 16 16 --type=float4 --index=tid
ok "json: two bytes" cost gfx1100 12 8 --type=half '--index=tid%32*33+tid/32'
ok "json: bytes wider than the element" \
    cost gfx942 64 32 --type=half --bytes=16 '--index=tid%16*72+tid/16*8'
ok "json: bytes narrower than the element" cost sm_80 32 8 --type=16 --bytes=4 --index=tid
ok "json: some threads" cost sm_80 4 1 --type=float '--index=64*tid' '--if=64 * tid < 256'
ok "json: waves of 64 on RDNA" cost gfx1100 8 8 --type=float --index=tid --wave=64
ok "json: a flat index of a matrix" \
    cost gfx942 256 8 --type=float '--index=tx*32+ty' --array=32,32 --block=32,8
ok "json: a part of a wave" cost gfx942 1 1 --type=float --index=tid --block=20
ok "json: warpSize is the target's" cost gfx942 8 8 --type=int '--index=tid/warpSize*64+lane'
ok "json: three dimensions" \
    cost gfx90a 16 8 --type=float '--index=[tz][ty][tx*2]' --array=4,8,16 --block=8,8,4 --write
unsigned_wraps() { # as in C: unsigned, so it wraps, and % 32 is 31
    cost sm_80 8 8 --type=int '--index=(threadIdx.x - 1) % 32'
}
ok "json: unsigned arithmetic" unsigned_wraps
fields() {
    run 0 "${column[@]}" --array=32,32 --target=gfx942 --format=json &&
        has out '{"target": "gfx942", "access": "read", "bytes": 4,' &&
        has out '"cycles": 64, "ideal_cycles": 2, "worst_way": 32,' &&
        has out '"lds": 4096, "workgroups_per_cu": 8, "limited_by": "waves",' &&
        has out '"pad": {"layout": "[32][33]", "pad": 1,' &&
        has out '"conflict_free": true' && has out '"more_bytes": 128' &&
        has out '"mask": 31' && [ "$(head -c 1 out)" = '{' ] &&
        run 0 "${column[@]}" --array=32,33 --target=gfx942,gfx950 --format=json &&
        [ "$(head -c 1 out)" = '[' ] && has out '"pad": null, "xor": null}]'
}
ok "json: fields, and a list for several targets" fields
# What a better layout costs: the figures of a rule that counts bytes, and those that limit first.
costs_group() {
    run 0 "${column[@]}" --array=32,32 --lds=8192 --target=gfx942,gfx1100,sm_80 --block=64,4 \
        '--index=[tx%32][ty]' && [ ! -s err ] &&
        has out "  8192 bytes of LDS: 8 workgroups per CU, limited by: waves" &&
        has out "    7 workgroups per CU instead of 8" && has out "    8 workgroups per WGP, as before" &&
        has out "    8 workgroups per SM, as before"
}
ok "a padding that costs a workgroup, and where it does not" costs_group
costs_nothing() {
    run 0 "${column[@]}" --array=32,32 --lds=8192 --target=gfx942 --vgprs=128 &&
        has out "  8192 bytes of LDS: 4 workgroups per CU, limited by: VGPRs" &&
        has out "    4 workgroups per CU, as before"
}
ok "registers limit before the padding does" costs_nothing
costs_all() {
    run 0 banks --type=float '--index=[tx][ty]' --block=128,8 --array=128,128 --target=gfx942 &&
        has out "limited by: LDS" && has out "    0 workgroups per CU instead of 1"
}
ok "a padding that leaves no room at all" costs_all
costs_json() {
    run 0 "${column[@]}" --array=64,64 --block=64,4 --lds=16384 --target=gfx942 --format=json &&
        has out '"lds": 16384, "workgroups_per_cu": 4, "limited_by": "lds",' &&
        has out '"more_bytes": 256, "workgroups_per_cu": 3}, "xor":' &&
        has out '"more_bytes": 0, "workgroups_per_cu": 4}}' &&
        run 0 "${column[@]}" --array=64,64 --block=64,4 --target=sm_80 --format=json &&
        has out '"blocks_per_sm": 8' && lacks out workgroups_per_cu
}
ok "json: what a layout costs" costs_json
modes() {
    run 0 banks --type=float --index=tid --array=8192 --target=gfx1100 --mode=cu &&
        has out "2 workgroups per CU" &&
        run 0 banks --type=float --index=tid --array=8192 --target=gfx1100 &&
        has out "4 workgroups per WGP"
}
ok "CU and WGP mode" modes
both() {
    run 0 banks --type=float '--index=[tx][ty]' '--write=[ty][tx]' --block=16,16 --array=16,16 \
        --target=gfx942 &&
        has out "gfx942: reads of 4 bytes" && has out "gfx942: writes of 4 bytes" &&
        has out "cycles 64, ideal 8, at worst 8-way" && has out "cycles 8, ideal 8, no conflicts" &&
        has out "pad by 2 to [16][18]: cycles 24, 1152 bytes instead of 1024" &&
        has out "use [i][j ^ (i & 15)]: no conflicts, no bytes more" &&
        run 0 banks --type=float '--index=[tx][ty]' '--write=[ty][tx]' --block=16,16 --array=16,16 \
            --target=gfx942 --format=json &&
        has out '"other": {"target": "gfx942", "access": "write", "bytes": 4,' &&
        has out '"pad": 2,' && has out '"block_cycles": 24,'
}
ok "a read and a write, mended together" both
structure() {
    run 0 banks --type=16 --bytes=4 --index=tid --target=gfx942 &&
        has out "make each element 20 bytes instead of 16: no conflicts, 5120 bytes instead of 4096" &&
        run 0 banks --type=16 --bytes=4 '--index=[tx][ty]' --block=32,8 --array=32,32 --target=gfx942 &&
        has out "make each element 20 bytes instead of 16, and pad by 1 to [32][33]: no conflicts" &&
        has out "    3 workgroups per CU instead of 4" &&
        run 0 banks --type=16 --bytes=4 --index=tid --target=gfx942 --format=json &&
        has out '"pad": 0, "grow": 4,'
}
ok "a member of a structure" structure
padded_now() {
    run 0 "${column[@]}" '--index=[tx%64][ty]' --block=64,4 --array=64,64+1 --lds=16640 --target=gfx942 &&
        [ ! -s err ] && has out "no conflicts" &&
        has out "  16640 bytes of LDS: 3 workgroups per CU, limited by: LDS" &&
        has out "  without the padding, [64][64]: cycles 256, 16384 bytes instead of 16640" &&
        has out "    4 workgroups per CU instead of 3" && lacks out "pad by" &&
        has out "  use [i][j ^ (i & 31)]: no conflicts, 16384 bytes instead of 16640" &&
        run 0 "${column[@]}" --array=16,16+1 --block=16,16 --target=gfx942 --format=json &&
        has out '"padding": 1, "unpadded": {"layout": "[16][16]",' &&
        has out '"block_cycles": 64, "bytes": 1024, "more_bytes": -64,' &&
        has out '"pad": {"layout": "[16][18]", "pad": 2,' && has out '"more_bytes": 64,'
}
ok "a padding that is there, and what it costs" padded_now
padded_flat() { # a flat index counts the padding, and must not lie in it
    run 0 banks --type=float '--index=tx*33+ty' --array=32,32+1 --block=32,8 --target=gfx942 &&
        has out "cycles 8, ideal 8, no conflicts" &&
        refuses "thread (0,1,0) has the index [32], which is outside" --type=float \
            '--index=tx*33+ty*32' --array=32,32+1 --block=32,8
}
ok "a flat index into a padded array" padded_flat
for bad in 32+1 32,32+ 32,32+x 32,32+1025 32,32+-1 +1 32,32+1,4 32,32+1+1 '32,32+ 1'; do
    ok "padding '$bad'" refuses "of '--array'" --type=int --index=0 "--array=$bad"
done
own_gpus() {
    printf 'target mine\nlike gfx942\narchitecture X\nlds 16384\nsource own\n\n%s\n' \
        'target blind
like sm_80
architecture Y
banks unknown
source own' >own.list
    run 0 banks --gpus=own.list --type=float '--index=[tx][ty]' --block=32,8 --array=32,32 \
        --target=mine,gfx942 --format=json && has out '"target": "mine"' &&
        has out '"more_bytes": 128, "workgroups_per_cu": 3}' &&
        run 0 occupancy --gpus=own.list --target=blind,mine --block=256 && has out "mine: X, CU" &&
        refuses "nothing is known of the banks of blind" --gpus=own.list --type=int --index=tid \
            --target=blind,gfx942
}
ok "GPUs of one's own" own_gpus
bad_gpus() {
    printf 'target t\nlike gfx942\narchitecture X\n\ntarget u\nlike t\nsource own\nwaves 16\n' >bad.list
    refuses "bad.list:1: error: t has no line 'source'" --gpus=bad.list --type=int --index=tid &&
        has err "bad.list:5: error: u" && refuses "no.list" --gpus=no.list --type=int --index=tid &&
        run 2 occupancy --gpus=bad.list --block=64 && has err "bad.list:1: error:" && [ ! -s out ]
}
ok "bad GPUs of one's own" bad_gpus
every_target() {
    local target
    refuses "unknown target" --type=int --index=0 --target=none || return 1
    for target in $(sed -n 's/,//g; s/.*known are: //p' err); do
        run 0 banks --type=double --index=tid --target="$target" || return 1
        has out "$target" && has out "no conflicts" || return 1
    done
    [ "$target" = sm_121 ]
}
ok "every target" every_target

help_is_narrow() { ! "$HIPWRIGHT" banks --help | grep -qE '^.{80}'; }
ok "--help fits a terminal" help_is_narrow

ok "no type" refuses "'banks' needs '--type'" --index=tid
ok "no index" refuses "'banks' needs '--index'" --type=int
ok "a file" refuses "takes no file" --type=int --index=tid a.cu
both_bad() {
    refuses "unknown target 'gfx9'" --type=int --index=tid --target=gfx9,gfx942,gfx8,sm_1 &&
        has err "unknown target 'gfx8'" && has err "unknown target 'sm_1'"
}
ok "several unknown targets are all named" both_bad
once() {
    refuses "divides by zero" --type=int '--index=tid/0' --target=sm_80,gfx942,gfx90a &&
        [ "$(grep -c "divides by zero" err)" = 1 ]
}
ok "an expression is complained of once" once
ok "less LDS than the array" refuses "the array has 4096 bytes, more than the 100 of '--lds'" \
    --type=int '--index=[tx][0]' --array=32,32 --block=32 --lds=100
ok "a mode that is not there" refuses "sm_80 has no mode 'cu'" --type=int --index=tid --mode=cu \
    --target=sm_80,gfx1100
ok "a fault in the write" refuses "in '--write', column 1: the name 'foo' is not known" --type=int \
    --index=tid --write=foo
ok "the write has its own dimensions" refuses "'--write' has 1 dimensions, but '--array' has 2" \
    --type=int '--index=[ty][tx]' '--write=[tid]' --array=32,32
ok "the write is outside" refuses "has the index [256]" --type=int --index=tid --write=tid+1 \
    --array=256
ok "unknown target" refuses "unknown target 'gfx9'; known are: gfx900" --type=int --index=tid \
    --target=gfx942,gfx9
ok "empty target" refuses "unknown target ''" --type=int --index=tid --target=gfx942,
ok "unknown type" refuses "'flaot' of '--type'" --type=flaot --index=tid
ok "type too wide" refuses "32 bytes of 'double4'" --type=double4 --index=tid
ok "bad bytes" refuses "'3' of '--bytes'" --type=int --bytes=3 --index=tid
ok "bad wave" refuses "'48' of '--wave'" --type=int --index=tid --wave=48
ok "wave of another target" refuses "gfx942 has no waves of 32" --type=int --index=tid \
    --target=gfx942 --wave=32
ok "bad block" refuses "'32x8' of '--block'" --type=int --index=tid --block=32x8
ok "empty block" refuses "'' of '--block'" --type=int --index=tid --block=
ok "block too large" refuses "of 1 to 1024 threads" --type=int --index=tid --block=64,64
ok "bad array" refuses "'32,,4' of '--array'" --type=int --index=tid --array=32,,4
ok "four dimensions" refuses "'1,2,3,4' of '--array'" --type=int --index=tid --array=1,2,3,4
ok "array too large" refuses "larger than any memory" --type=int --index=tid \
    --array=1048576,1048576
ok "brackets without an array" refuses "needs '--array'" --type=int '--index=[tx][ty]'
ok "another number of dimensions" refuses "has 2 dimensions, but '--array' has 1" --type=int \
    '--index=[tx][ty]' --array=32
ok "outside of the array" refuses "thread (32,0,0) has the index [32][0], which is outside" \
    --type=int '--index=[tx][ty]' --array=32,32
ok "below the array" refuses "thread (0,0,0) has the index [-1]" --type=int --index=tid-1
caret() {
    refuses "in '--index', column 6: the name 'foo' is not known" --type=int '--index=tid *foo+1' ||
        return 1
    # The caret stands below the fault.
    [ "$(sed -n 's/^hipwright: note: \( *\)^$/\1/p' err)" = "     " ]
}
ok "the place of a fault" caret
ok "a fault in the condition" refuses "in '--if', column 6" --type=int --index=tid '--if=tid <'
ok "division by zero" refuses "column 3: this divides by zero" --type=int '--index=8 / tid'
misaligned() {
    run 0 banks --type=float --bytes=16 --index=tid --target=sm_80 && has err "must be aligned"
}
ok "a misaligned access" misaligned
deep() {
    refuses "too deeply" --type=int --index="$(printf '(%.0s' $(seq 30000))"
}
ok "deep nesting" deep

# Every GPU of maps/gpus.list has its banks.
same_targets() {
    run 2 occupancy --target=? --block=64 || return
    local all
    all=$(sed -n "s/.*known are: //p" err | tr -d ' ')
    has err gfx942 && run 0 banks --type=int --index=tid --target="$all"
}
ok "the GPUs of 'occupancy' are known" same_targets
finish
