#!/usr/bin/env bash
# The occupancy engine against those who know: clang 19, which prints the occupancy of every
# kernel it compiles for AMD GPUs, and cuda_occupancy.h of the CUDA toolkit. Prints TAP.
#
#     occupancy.sh [--long]
#
# Environment: HIPWRIGHT and srcdir as for all tests; LONG=yes means --long; CLANGXX, CXX and
# CUDA_HOME name other tools than those found. With CI=true a missing clang++-19 is a failure.
#
# The kernels are ours and mean nothing: an assembly statement that claims a register makes the
# compiler count up to it, an array gives them LDS, and attributes their launch bounds. What the
# compiler counted is what the program is asked about, and its answers must be
#   - compiler_waves_per_simd: what the compiler prints, at every point;
#   - waves_per_simd, workgroups_per_cu: as many whole workgroups as the compiler's figures have
#     room for, with LDS rounded up to its granule. That rounding is checked by the compiler too: a
#     kernel with the rounded size is compiled beside each. Where the two figures differ the
#     difference must be named, and where they do not it must not.
# shellcheck source=testsuite/cli/common.sh
. "${srcdir:?the root of the sources}/testsuite/cli/common.sh"

long=${LONG:-}
[ "${1:-}" != --long ] || long=yes
clang=$(command -v "${CLANGXX:-clang++-19}") || clang=
cxx=$(command -v "${CXX:-g++}") || cxx=
cuda=${CUDA_HOME:-/usr/local/cuda}

# The machines: name, compiler flag, wave, SIMDs, LDS, its granule, barriers, bytes of one
# workgroup at most; then what to ask for: v and a and s registers, l LDS, b bounds of threads and
# registers, p bounds under pressure. Figures are restated here on purpose.
machines() {
    cat <<'END'
gfx906 - 64 4 65536 512 16 65536 vslb
gfx90a - 64 4 65536 512 16 65536 vaslb
gfx942 - 64 4 65536 512 16 65536 vaslbp
gfx1030 - 32 4 131072 1024 32 65536 vlb
gfx1100 - 32 4 131072 1024 32 65536 vlbp
gfx1100 -mcumode 32 2 65536 1024 16 65536 vlbp
gfx1100 -mwavefrontsize64 64 4 131072 1024 32 65536 vlb
gfx1201 - 32 4 131072 1024 32 65536 vlb
END
    [ -n "$long" ] || return 0
    cat <<'END'
gfx900 - 64 4 65536 512 16 65536 vslbp
gfx908 - 64 4 65536 512 16 65536 vaslbp
gfx1010 - 32 4 131072 512 32 65536 vlbp
gfx1101 - 32 4 131072 1024 32 65536 vlbp
gfx1102 - 32 4 131072 1024 32 65536 vlbp
gfx1103 - 32 4 131072 1024 32 65536 vlb
gfx1150 - 32 4 131072 1024 32 65536 vlb
gfx1151 - 32 4 131072 1024 32 65536 vlbp
gfx1152 - 32 4 131072 1024 32 65536 vlb
gfx1200 - 32 4 131072 1024 32 65536 vlbp
gfx1030 -mcumode 32 2 65536 1024 16 65536 vlbp
gfx1201 -mcumode 32 2 65536 1024 16 65536 vlb
gfx1010 -mwavefrontsize64 64 4 131072 512 32 65536 vlb
gfx1030 -mwavefrontsize64 64 4 131072 1024 32 65536 vlb
gfx1201 -mwavefrontsize64 64 4 131072 1024 32 65536 vlb
END
}

# points LETTERS GRANULE: one a line: kind, VGPRs, AGPRs, SGPRs, LDS, threads, waves per SIMD.
# Threads 0: no bounds, which is 1024 to the compiler.
points() {
    local v a s l t m
    local vs='4 24 25 32 48 64 65 84 96 100 128 168 192 255' as='28 29 64 128'
    local ss='40 75 80 83 95 100' ls='512 4096 5000 8193 16384 21845 32769 65536'
    local ts='64 96 256 1024' bs='64 256 512 1024' bvs='24 84 100 200' ms='2 4'
    if [ -n "$long" ]; then
        vs=$(seq 1 255) as='1 4 28 29 32 60 64 100 128 129 200 255'
        ss=$(seq 16 2 100) ls="1 128 1024 2048 6144 10240 12288 16385 20480 21846 24576 32768 40960
            49152 57344 $ls"
        ts='32 64 65 96 128 192 256 320 384 512 768 1000 1024' bs='64 128 256 512 768 1024'
        bvs='24 64 72 84 96 100 128 168 200 240' ms='1 2 3 4 6 8'
    fi
    case $1 in *v*) for v in $vs; do echo "v $v 0 0 0 0 0"; done ;; esac
    case $1 in *a*) for a in $as; do for v in 1 33 64 128; do echo "a $v $a 0 0 0 0"; done; done ;; esac
    case $1 in *s*) for s in $ss; do echo "s 0 0 $s 0 64 0"; done ;; esac
    case $1 in *l*)
        for l in $ls; do
            for t in $ts; do
                echo "l 0 0 0 $l $t 0"
                # Its twin, with what is allocated.
                [ $((l % $2)) = 0 ] || echo "l 0 0 0 $(((l + $2 - 1) / $2 * $2)) $t 0"
            done
        done
        ;;
    esac
    case $1 in *b*)
        for t in $bs; do for v in $bvs; do echo "b $v 0 0 0 $t 0"; done; done
        ;;
    esac
    case $1 in *p*)
        for t in 64 256 1024; do for m in $ms; do echo "p 0 0 0 0 $t $m"; done; done
        ;;
    esac
}

# kernels: reads points, writes a HIP source. Under pressure 160 sums stay alive.
kernels() {
    awk '
        BEGIN {
            print "#define KERNEL extern \"C\" __attribute__((global)) void"
            print "#define LDS static __attribute__((shared))"
            print "#define THREADS(n) __attribute__((amdgpu_flat_work_group_size(1, n)))"
            print "#define WAVES(n) __attribute__((amdgpu_waves_per_eu(n)))"
        }
        {
            bounds = $6 ? "THREADS(" $6 ")" : ""
            if ($7)
                bounds = bounds " WAVES(" $7 ")"
            printf "KERNEL %s k%d(float *p, int n)\n{\n", bounds, NR
            if ($5) {
                printf "    LDS char lds[%d];\n", $5
                print "    asm volatile(\"\" ::\"v\"(lds) : \"memory\");"
            }
            if ($2) printf "    asm volatile(\"\" ::: \"v%d\");\n", $2 - 1
            if ($3) printf "    asm volatile(\"\" ::: \"a%d\");\n", $3 - 1
            if ($4) printf "    asm volatile(\"\" ::: \"s%d\");\n", $4 - 1
            if ($1 == "p") {
                live = 160
                print "    p += __builtin_amdgcn_workitem_id_x();"
                for (i = 0; i < live; ++i)
                    printf "    float s%d = p[%d];\n", i, i * 1024
                print "    for (int k = 0; k < n; ++k) {\n        float x = p[k];"
                for (i = 0; i < live; ++i)
                    printf "        s%d = __builtin_fmaf(s%d, s%d, x);\n", i, i, (i + 7) % live
                print "        asm volatile(\"\" ::: \"memory\");\n    }"
                for (i = 0; i < live; ++i)
                    printf "    p[%d] = s%d;\n", i * 1024, i
            }
            print "    p[n] = 1;\n}"
        }'
}

# figures FILE.s: one line a kernel, in order: VGPRs, AGPRs, SGPRs, LDS, occupancy.
figures() {
    awk '
        function number() { return $NF + 0 }
        /^; NumVgprs: / { v = number() }
        /^; NumAgprs: / { a = number() }
        /^; NumSGPRsForWavesPerEU: / { s = number() }
        /^; LDSByteSize: / { sub(/ bytes.*/, ""); l = number() }
        /^; Occupancy: / { print v + 0, a + 0, s + 0, l + 0, number(); v = a = s = l = 0 }' "$1"
}

# compile NAME TARGET FLAG: NAME.points to NAME.hip to NAME.figures.
compile() {
    local flags=(-x hip --offload-device-only -nogpulib -nogpuinc -S -O1 -w --offload-arch="$2")
    [ "$3" = - ] || flags+=("$3")
    kernels <"$1.points" >"$1.hip" && "$clang" "${flags[@]}" "$1.hip" -o "$1.s" 2>"$1.err" &&
        figures "$1.s" >"$1.figures" && rm -f "$1.s"
}

# ask NAME TARGET FLAG: the program's answers, NAME.answers, one line each.
ask() {
    local mode=()
    case $3 in
    -mcumode) mode=(--mode=cu) ;;
    -mwavefrontsize64) mode=(--wave=64) ;;
    esac
    paste -d ' ' "$1.points" "$1.figures" |
        while read -r _ _ _ _ _ threads _ v a s l _; do
            [ "$threads" != 0 ] || threads=1024
            "$HIPWRIGHT" occupancy --format=json --target="$2" "${mode[@]}" --block="$threads" \
                --vgprs="$v" --agprs="$a" --sgprs="$s" --lds="$l" || return
        done >"$1.answers"
}

# judge NAME WAVE SIMDS LDS GRANULE BARRIERS MOST: prints what is wrong, a line each, and last the
# counts: points, those with either difference named. Kernels without AGPRs are asked for 0.
judge() {
    paste -d ' ' "$1.points" "$1.figures" "$1.answers" | awk -v wave="$2" -v simds="$3" \
        -v lds="$4" -v granule="$5" -v barriers="$6" -v most="$7" '
        function field(name,    text) {
            if (!match($0, "\"" name "\": [^,}]*"))
                return "none"
            text = substr($0, RSTART, RLENGTH)
            sub(/.*: /, "", text)
            return text + 0
        }
        function wrong(text) { printf "%s (kernel %d: %s)\n", text, NR, point; ++faults }
        function round(l) { return int((l + granule - 1) / granule) * granule }
        {
            point = $1 " " $2 " " $3 " " $4 " " $5 " " $6 " " $7
            says[NR] = $12
            compiler = field("compiler_waves_per_simd")
            if (compiler != $12)
                wrong("compiler_waves_per_simd is " compiler ", the compiler says " $12)
            threads = $6 ? $6 : 1024
            n = int((threads + wave - 1) / wave)
            key = $1 " " $2 " " $3 " " $4 " " $6 " " $7
            line[NR] = key; used[NR] = $11; own[key, $11] = NR
            text[NR] = point; size[NR] = $11; waves[NR] = n
            groups[NR] = field("workgroups_per_cu")
            per_simd[NR] = field("waves_per_simd")
            by_granule[NR] = /"lds-granule"/
            by_groups[NR] = /"whole-workgroups"/
        }
        END {
            for (i = 1; i <= NR; ++i) {
                point = text[i]
                twin = size[i] ? own[line[i], round(size[i])] : i
                if (!twin) {
                    wrong("no kernel has the rounded LDS")
                    continue
                }
                # The granule is the difference exactly where the compiler itself would say less.
                if (by_granule[i] != (says[twin] < says[i]))
                    wrong("lds-granule: " by_granule[i] ", the compiler says " says[i] " and " \
                          says[twin] " when rounded")
                if (by_groups[i] != (per_simd[i] != says[twin]))
                    wrong("whole-workgroups: " by_groups[i])
                if (per_simd[i] * simds != groups[i] * waves[i] || says[twin] < per_simd[i])
                    wrong("waves and workgroups do not agree")
                # One more would not fit: no waves, no LDS, or no barrier for it.
                g = groups[i] + 1
                if (g * waves[i] <= says[twin] * simds && g * round(size[i]) <= lds &&
                    size[i] <= most && (waves[i] == 1 || g <= barriers))
                    wrong("there is room for " g " workgroups")
                granules += by_granule[i]
                whole += by_groups[i]
            }
            print NR, granules + 0, whole + 0
            exit faults != 0
        }'
}

# Under pressure: the compiler used at most what the bound leaves, and not much less.
pressure() { # NAME TARGET FLAG
    local mode=() kind threads waves v a room
    case $3 in
    -mcumode) mode=(--mode=cu) ;;
    -mwavefrontsize64) mode=(--wave=64) ;;
    esac
    paste -d ' ' "$1.points" "$1.figures" | while read -r kind _ _ _ _ threads waves v a _; do
        [ "$kind" = p ] || continue
        "$HIPWRIGHT" occupancy --format=json --target="$2" "${mode[@]}" --block="$threads" \
            --vgprs=512 --min-waves="$waves" >room || return 1
        room=$(sed 's/.*"vgprs": \([0-9]*\),.*"vgprs_allocated".*/\1/' room)
        case $2 in
        gfx90a | gfx942) v=$(((v + 3) / 4 * 4 + a)) ;;
        gfx908) [ "$a" -le "$v" ] || v=$a ;;
        esac
        if [ "$room" -lt "$v" ]; then
            echo "# ($threads, $waves) leaves $room registers, the compiler used $v"
            return 1
        fi
        # A kernel that needs some 165 fills a smaller room, less one or two.
        if [ "$room" -le 160 ] && [ $((room - 4)) -gt "$v" ]; then
            echo "# ($threads, $waves) leaves $room registers, the compiler used only $v"
            return 1
        fi
    done
}

amd_total=0 granules_total=0 whole_total=0
amd() { # TARGET FLAG WAVE SIMDS LDS GRANULE BARRIERS MOST LETTERS
    local name="$1$2" counts
    ask "$name" "$1" "$2" || return
    judge "$name" "$3" "$4" "$5" "$6" "$7" "$8" >verdict || {
        sed 's/^/# /' verdict | head -n 12
        return 1
    }
    read -r -a counts <verdict
    [ "${counts[0]}" = "$(wc -l <"$name.points")" ] || return 1
    echo "# $name: ${counts[0]} points, LDS granule ${counts[1]}, whole workgroups ${counts[2]}"
    amd_total=$((amd_total + counts[0]))
    granules_total=$((granules_total + counts[1]))
    whole_total=$((whole_total + counts[2]))
}

compiled() { # NAME
    [ -s "$1.figures" ] && [ "$(wc -l <"$1.figures")" = "$(wc -l <"$1.points")" ] || {
        head -n 5 "$1.err" 2>/dev/null | sed 's/^/# /'
        return 1
    }
}

# The compiler runs for two machines at a time.
compile_all() {
    local target flag granule letters running=0
    while read -r target flag _ _ _ granule _ _ letters; do
        points "$letters" "$granule" | awk '!seen[$0]++' >"$target$flag.points"
        compile "$target$flag" "$target" "$flag" &
        running=$((running + 1))
        [ $running -lt 2 ] || { wait -n || true; running=$((running - 1)); }
    done < <(machines)
    wait
}

if [ -n "$clang" ]; then
    compile_all
    while read -r -a m; do
        name="${m[0]} ${m[1]#-}"
        name=${name% }
        ok "$name: compiled" compiled "${m[0]}${m[1]}"
        ok "$name: every point as clang has it, differences named" amd "${m[@]}"
        case ${m[8]} in
        *p*) ok "$name: registers under launch bounds" pressure "${m[0]}${m[1]}" "${m[0]}" "${m[1]}" ;;
        esac
    done < <(machines)
    ok "at least 300 points ($amd_total)" [ 300 -le "$amd_total" ]
    ok "the LDS granule makes a difference ($granules_total)" [ 10 -le "$granules_total" ]
    ok "whole workgroups make a difference ($whole_total)" [ 10 -le "$whole_total" ]
elif [ "${CI:-}" = true ]; then
    ok "clang++-19 is installed, as CI must have it" false
else
    skip "AMD against the compiler" "clang++-19 is not installed"
fi

# One process for all targets would be quicker; one for each point asks what a user asks.
nvidia() {
    local every=53
    [ -z "$long" ] || every=7
    ./oracle $every >oracle.points || return
    while read -r target r block bytes _; do
        "$HIPWRIGHT" occupancy --format=json --target="$target" --block="$block" --vgprs="$r" \
            --lds="$bytes" || return
    done <oracle.points >oracle.answers
    paste -d ' ' oracle.points oracle.answers | awk '
        function field(name,    text) {
            if (!match($0, "\"" name "\": [^,}]*"))
                return "none"
            text = substr($0, RSTART, RLENGTH)
            sub(/.*: /, "", text)
            return text == "null" ? text : text + 0
        }
        {
            blocks = field("blocks_per_sm"); warps = field("waves"); most = field("workgroups")
            limits = substr($0, index($0, "\"limits\""))
            sub(/}.*/, "", limits)
            name = $0; $0 = limits
            regs = field("vgprs"); shared = field("lds"); $0 = name
            # No shared memory at all is no limit to us, and a very high one to the header.
            if (shared == "null")
                shared = $9
            if (blocks != $5 || warps != $6 || most != $7 || regs != $8 || shared != $9)
                print $1, $2, $3, $4 ": " blocks, warps, most, regs, shared " instead of " $5, $6, $7, $8, $9
            if (field("warps_per_sm") != blocks * int(($3 + 31) / 32))
                print $1, $2, $3, $4 ": warps"
            ++points[$1]
        }
        END { for (t in points) print "points", t, points[t] }' >verdict
    grep -v '^points' verdict | sed 's/^/# /' | head -n 10
    nvidia_total=$(wc -l <oracle.points)
    [ "$(grep -c '^points' verdict)" = 12 ] && ! grep -qv '^points' verdict
}

if [ ! -r "$cuda/include/cuda_occupancy.h" ] || [ -z "$cxx" ]; then
    skip "NVIDIA against cuda_occupancy.h" "the CUDA toolkit or a C++ compiler is not installed"
else
    ok "the oracle compiles" "$cxx" -w -O1 -I "$cuda/include" "$srcdir/testsuite/occupancy.cpp" -o oracle
    nvidia_total=0
    ok "NVIDIA: every point and limit as cuda_occupancy.h has it" nvidia
    ok "at least 1000 points ($nvidia_total)" [ 1000 -le "$nvidia_total" ]
fi
finish
