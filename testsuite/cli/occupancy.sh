#!/usr/bin/env bash
# hipwright occupancy: what it shows, its options and its errors. Whether the figures are right is
# tested by testsuite/unit/check_occupancy.c and testsuite/occupancy.sh.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

wrong() { # TEXT ARGUMENT...
    local text=$1
    shift
    run 2 occupancy "$@" && has err "$text" && [ ! -s out ]
}

text_amd() {
    run 0 occupancy --target=gfx942 --block=256 --vgprs=100 --lds=21845 && [ ! -s err ] &&
        cat >want <<'END' && diff want out
gfx942: CDNA3, CU with 4 SIMDs, waves of 64 lanes
  block: 256 threads in 4 waves
  2 workgroups per CU, 2 of 8 waves per SIMD, limited by: LDS
  workgroups per CU that each resource has room for:
         8  waves
        16  workgroups of more than one wave
         4  VGPRs: 100, 104 allocated
         2  LDS: 21845 bytes, 22016 allocated
  next step: with 21504 bytes of LDS or less, 3 workgroups per CU, 3 of 8 waves per SIMD
  clang would print 'Occupancy: 3':
    it does not round LDS up to multiples of 512 bytes
END
}
ok "text for an AMD GPU" text_amd
text_nvidia() {
    run 0 occupancy --target=sm_80 --block=96 --vgprs=33 && [ ! -s err ] &&
        cat >want <<'END' && diff want out
sm_80: Ampere (GA100), warps of 32 lanes
  block: 96 threads in 3 warps
  16 blocks per SM, 48 of 64 warps, limited by: registers
  blocks per SM that each resource has room for:
        21  warps
        32  blocks
        16  registers: 33, 40 allocated
       164  shared memory: 0 bytes, 1024 allocated
  next step: with 32 registers or fewer, 21 blocks per SM, 63 of 64 warps
END
}
ok "text for an NVIDIA GPU" text_nvidia
idle_lanes() { run 0 occupancy --target=gfx942 --block=96 && has out "only 96 of 128 lanes busy"; }
ok "idle lanes are told" idle_lanes
bound() {
    run 0 occupancy --target=gfx906 --block=96 --vgprs=100 --min-waves=4 &&
        has out "CUDA would write (96, 8) for HIP's (96, 4)" && has out "it leaves 64 VGPRs: 36 have" &&
        has out "count with 8 waves"
}
ok "a launch bound" bound
bound_ignored() {
    run 0 occupancy --target=gfx942 --block=64 --min-waves=16 &&
        has out "the compiler ignores the bound of 16 waves: there are only 8"
}
ok "an impossible launch bound" bound_ignored
no_launch() {
    run 0 occupancy --target=gfx942 --block=1024 --vgprs=200 && has out "a launch fails" &&
        has out "next step: with 128 VGPRs or fewer, 1 workgroup per CU"
}
ok "what does not fit" no_launch
several() {
    run 0 occupancy --target=gfx90a:xnack-,sm_90a --block=8,8,4 && has out "gfx90a: CDNA2" &&
        has out "sm_90: Hopper" && has out "256 threads in 8 warps"
}
ok "several targets, features, a block of three dimensions" several
modes() {
    run 0 occupancy --target=gfx1100 --block=256 --mode=cu --wave=64 && has out "CU with 2 SIMDs" &&
        has out "waves of 64" && run 0 occupancy --target=gfx1100 --block=256 --mode=wgp &&
        has out "WGP with 4 SIMDs" && has out "waves of 32"
}
ok "modes and wave sizes" modes

json_one() {
    run 0 occupancy --target=gfx942 --block=256 --vgprs=100 --format=json && [ ! -s err ] &&
        [ "$(head -c 21 out)" = '{"target": "gfx942", ' ] && has out '"waves_per_simd": 4,' &&
        has out '"workgroups_per_cu": 4,' && has out '"max_waves_per_simd": 8' &&
        has out '"limited_by": "vgprs"' && has out '"compiler_waves_per_simd": 4' &&
        has out '"compiler_differs": []' && has out '"launch_bounds": {"hip": 4, "cuda": 4}' &&
        has out '"next": [{"resource": "vgprs", "at_most": 96, "waves_per_simd": 5, "workgroups_per_cu": 5}]'
}
ok "JSON for one target is an object" json_one
json_several() {
    run 0 occupancy --target=gfx942,sm_80 --block=64 --lds=65536 --format=json &&
        [ "$(head -c 1 out)$(tail -c 2 out)" = '[]' ] && has out '"waves_per_simd": 0.25' &&
        has out '"blocks_per_sm": 2, "warps_per_sm": 4' &&
        [ "$(grep -c '"target"' out)" = 2 ]
}
ok "JSON for several is an array" json_several
named() {
    run 0 occupancy --target=gfx1100 --block=96 --lds=21845 --format=json &&
        has out '"compiler_differs": ["lds-granule", "whole-workgroups"]'
}
ok "JSON names what the compiler does otherwise" named

default_targets() {
    run 0 occupancy --block=256 --vgprs=64 && has out "sm_80: Ampere" && has out "gfx942: CDNA3"
}
ok "without a target the two that are compared by default" default_targets
unknown_registers() {
    run 0 occupancy --block=256 --target=gfx942 &&
        has out "without '--vgprs' that is the most; it takes 64 VGPRs or fewer" &&
        run 0 occupancy --block=256 --target=sm_80 --lds=40000 --format=json &&
        has out '"blocks_per_sm": 4' && has out '"at_most": true, "vgprs_budget": 64,' &&
        run 0 occupancy --block=256 --target=sm_80 --vgprs=64 && lacks out "is the most"
}
ok "what is not known of the registers" unknown_registers
min_blocks() {
    run 0 occupancy --block=512 --min-blocks=2 &&
        has out "CUDA's __launch_bounds__(512, 2) leaves a thread 64 registers" &&
        has out "CUDA's __launch_bounds__(512, 2) leaves a thread 128 VGPRs" &&
        has out "for HIP write (512, 4)" &&
        run 0 occupancy --block=64 --min-blocks=2 --target=gfx942 &&
        has out "for HIP write (64): a second argument up to 1 changes nothing" &&
        run 0 occupancy --block=1024 --min-blocks=3 &&
        [ "$(grep -c "__launch_bounds__(1024, 3) cannot be met" out)" = 2 ] && lacks out "for HIP" &&
        run 0 occupancy --block=512 --min-blocks=2 --target=gfx942,sm_80 --format=json &&
        has out '"min_blocks": {"cuda": 2, "hip": 4, "vgprs": 128}' &&
        has out '"min_blocks": {"cuda": 2, "hip": null, "vgprs": 64}' &&
        run 0 occupancy --block=1024 --min-blocks=3 --target=gfx942 --format=json &&
        has out '"min_blocks": {"cuda": 3, "hip": null, "vgprs": null}'
}
ok "CUDA's launch bound" min_blocks
products() {
    run 0 occupancy --target='MI300X,rx 7900 xtx,RTX 4090,h100 sxm,Radeon VII' --block=64 &&
        has out "gfx942: " && has out "gfx1100: " && has out "sm_89: " && has out "sm_90: " &&
        has out "gfx906: " && wrong "unknown target 'MI300'" --target=MI300 --block=64
}
ok "GPUs by the names of products" products
own_gpus() {
    mkdir -p conf && printf 'target mine\nlike gfx942\narchitecture X\nlds 16384\nsource own\n' >conf/g.list &&
        printf 'gpus = g.list\nformat = json\n' >conf/.hipwright.ini &&
        (cd conf && run 0 occupancy --target=mine --block=64 --lds=8192 &&
            has out '{"target": "mine"' && has out '"workgroups_per_cu": 2,' &&
            run 2 occupancy --no-config --target=mine --block=64 && has err "unknown target 'mine'" &&
            cd .. && run 0 occupancy --config=conf/.hipwright.ini --target=mine --block=64 &&
            printf 'gpus = ../g.list\n' >conf/.hipwright.ini && cd conf &&
            run 2 occupancy --target=mine --block=64 && has err "inside the configuration's folder" &&
            printf 'gpus = g.list\n' >.hipwright.ini && printf 'colour red\n' >g.list &&
            run 2 occupancy --block=64 && has err "g.list:1: error: a line before 'target'" && [ ! -s out ])
}
ok "GPUs of one's own, in the configuration" own_gpus
ok "no block" wrong "needs '--block'" --target=gfx942
ok "a file" wrong "takes no file" --target=gfx942 --block=64 a.cu
ok "unknown target" wrong "unknown target 'gfx9'; known are: gfx900, " --target=gfx9 --block=64
ok "one unknown target of two" wrong "unknown target ''" --target=gfx942, --block=64
for bad in 0 1025 x 32,33 8,8,8,1 '8,' ',8' -1 ''; do
    ok "block '$bad'" wrong "invalid argument '$bad' of '--block'" --target=gfx942 "--block=$bad"
done
ok "bad registers" wrong "is a number from 0 to" --target=gfx942 --block=64 --vgprs=5000
ok "bad LDS" wrong "invalid argument '4k'" --target=gfx942 --block=64 --lds=4k
ok "bad wave" wrong "it may be: 32, 64" --target=gfx942 --block=64 --wave=16
ok "no such wave" wrong "gfx942 has no waves of 32 lanes" --target=gfx942 --block=64 --wave=32
ok "bad mode" wrong "it may be: cu, wgp" --target=gfx942 --block=64 --mode=x
ok "no such mode" wrong "gfx942 has no mode 'wgp'" --target=gfx942 --block=64 --mode=wgp
ok "no such registers" wrong "gfx1100 has no accumulation" --target=gfx1100 --block=64 --agprs=4

# The table is read by those who ask for it, and by nobody else.
other_data() {
    mkdir -p data/maps && cp "$srcdir"/maps/*.map data/maps || return
    cuda_source a.cu
    HIPWRIGHT_DATADIR=data run 0 lookup cudaMalloc &&
        HIPWRIGHT_DATADIR=data run 2 a.cu && has err "data/maps/gpus.list: error: cannot read" &&
        HIPWRIGHT_DATADIR=data wrong "data/maps/gpus.list: error: cannot read" --target=gfx942 --block=64 &&
        printf 'target mine\nlike theirs\n' >data/maps/gpus.list &&
        HIPWRIGHT_DATADIR=data wrong "data/maps/gpus.list:2: error: there is no target" \
            --target=mine --block=64
}
ok "the table is read on demand" other_data
help_form() { run 0 occupancy --help && has out "--min-waves=N" && lacks out --in-place; }
ok "--help" help_form
finish
