/* NCCL in one process: a communicator per device, all-reduce, broadcast, a ring of send and receive,
   and the code for what went wrong.  Works with one device too.  */
#include <nccl.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define CUDA_CHECK(call)                                                                       \
	do {                                                                                   \
		cudaError_t err = (call);                                                      \
		if (err != cudaSuccess) {                                                      \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err));           \
			exit(1);                                                               \
		}                                                                              \
	} while (0)

#define NCCL_CHECK(call)                                                                       \
	do {                                                                                   \
		ncclResult_t res = (call);                                                     \
		if (res != ncclSuccess) {                                                      \
			fprintf(stderr, "%s: %s\n", #call, ncclGetErrorString(res));           \
			exit(1);                                                               \
		}                                                                              \
	} while (0)

struct rank {
	ncclComm_t comm;
	cudaStream_t stream;
	float *send, *recv;
};

static bool all_are(const rank &r, int device, size_t count, float wanted)
{
	std::vector<float> host(count);
	CUDA_CHECK(cudaSetDevice(device));
	CUDA_CHECK(cudaStreamSynchronize(r.stream));
	CUDA_CHECK(cudaMemcpy(host.data(), r.recv, count * sizeof(float), cudaMemcpyDeviceToHost));
	for (float value : host)
		if (value != wanted)
			return false;
	return true;
}

int main(void)
{
	const size_t count = 1 << 16;
	int n = 0, version = 0;
	CUDA_CHECK(cudaGetDeviceCount(&n));
	NCCL_CHECK(ncclGetVersion(&version));
	printf("version %d, %d devices\n", version, n);

	std::vector<rank> ranks(n);
	std::vector<ncclComm_t> comms(n);
	NCCL_CHECK(ncclCommInitAll(comms.data(), n, nullptr));
	for (int i = 0; i < n; i++) {
		rank &r = ranks[i];
		r.comm = comms[i];
		std::vector<float> host(count, (float)(i + 1));
		CUDA_CHECK(cudaSetDevice(i));
		CUDA_CHECK(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
		CUDA_CHECK(cudaMalloc((void **)&r.send, count * sizeof(float)));
		CUDA_CHECK(cudaMalloc((void **)&r.recv, count * sizeof(float)));
		CUDA_CHECK(cudaMemcpy(r.send, host.data(), count * sizeof(float),
				      cudaMemcpyHostToDevice));
	}

	bool ok = true;
	NCCL_CHECK(ncclGroupStart());
	for (rank &r : ranks)
		NCCL_CHECK(ncclAllReduce(r.send, r.recv, count, ncclFloat, ncclSum, r.comm, r.stream));
	NCCL_CHECK(ncclGroupEnd());
	for (int i = 0; i < n; i++)
		ok = ok && all_are(ranks[i], i, count, n * (n + 1) / 2.0f);

	NCCL_CHECK(ncclGroupStart());
	for (rank &r : ranks)
		NCCL_CHECK(ncclBroadcast(r.send, r.recv, count, ncclFloat32, 0, r.comm, r.stream));
	NCCL_CHECK(ncclGroupEnd());
	for (int i = 0; i < n; i++)
		ok = ok && all_are(ranks[i], i, count, 1.0f);

	NCCL_CHECK(ncclGroupStart());
	for (int i = 0; i < n; i++) {
		rank &r = ranks[i];
		int self = -1;
		NCCL_CHECK(ncclCommUserRank(r.comm, &self));
		NCCL_CHECK(ncclSend(r.send, count, ncclFloat, (self + 1) % n, r.comm, r.stream));
		NCCL_CHECK(ncclRecv(r.recv, count, ncclFloat, (self + n - 1) % n, r.comm, r.stream));
	}
	NCCL_CHECK(ncclGroupEnd());
	for (int i = 0; i < n; i++)
		ok = ok && all_are(ranks[i], i, count, (float)((i + n - 1) % n + 1));

	for (rank &r : ranks) {
		ncclResult_t async = ncclSuccess;
		NCCL_CHECK(ncclCommGetAsyncError(r.comm, &async));
		ok = ok && async == ncclSuccess;
		CUDA_CHECK(cudaFree(r.send));
		CUDA_CHECK(cudaFree(r.recv));
		CUDA_CHECK(cudaStreamDestroy(r.stream));
		NCCL_CHECK(ncclCommDestroy(r.comm));
	}
	puts(ok ? "passed" : "FAILED");
	return ok ? 0 : 1;
}
