/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unloader.c - loads a plugin that calls, and unloads it while it is in use
 *
 *	unloader PLUGIN SVC ROUNDS
 *
 * Knows nothing of the runtime itself. In each round a thread calls and ends
 * after the plugin was unloaded: what runs at the end of a thread, at a fork
 * and at exit must still be there.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t called, unloaded;
static const char *svc;

static void *run(void *arg)
{
	int (*call)(const char *) = (int (*)(const char *))arg;
	long r = call(svc);

	pthread_barrier_wait(&called);
	pthread_barrier_wait(&unloaded);
	return (void *)r;
}

static int one_round(const char *plugin)
{
	void *lib = dlopen(plugin, RTLD_NOW | RTLD_LOCAL), *fn, *result = NULL;
	int status = -1;
	pthread_t t;
	pid_t pid;

	if (lib == NULL || (fn = dlsym(lib, "plugin_call")) == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	pthread_create(&t, NULL, run, fn);
	pthread_barrier_wait(&called);
	dlclose(lib);
	pid = fork();
	if (pid == 0)
		exit(0);
	waitpid(pid, &status, 0);
	pthread_barrier_wait(&unloaded);
	pthread_join(t, &result);
	return status != 0 || result != NULL;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	if (argc < 4)
		return 2;
	svc = argv[2];
	pthread_barrier_init(&called, NULL, 2);
	pthread_barrier_init(&unloaded, NULL, 2);
	for (i = 0; i < atoi(argv[3]); i++)
		bad += one_round(argv[1]);
	printf("bad %d\n", bad);
	return bad != 0;
}
