/* Ends the program if a condition is false. */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(what) \
    do { if (!(what)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); exit(1); } } while (0)
