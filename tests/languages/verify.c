#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks that answer.txt in the final state contains the number of lines of start/log.txt. */
int main(int argc, char **argv) {
    const char *start = getenv("MCPMARK_START_DIR"), *state = getenv("FILESYSTEM_TEST_DIR");
    char path[256];
    snprintf(path, sizeof path, "%s/log.txt", start);
    FILE *log = fopen(path, "r");
    if (!log) { perror(path); return 2; }
    long lines = 0;
    for (int c; (c = fgetc(log)) != EOF;) lines += c == '\n';
    fclose(log);
    snprintf(path, sizeof path, "%s/answer.txt", state);
    FILE *answer = fopen(path, "r");
    if (!answer) { fprintf(stderr, "answer.txt is missing\n"); return 1; }
    long given = -1;
    fscanf(answer, "%ld", &given);
    printf("%s answer.txt has the number of lines\n", given == lines ? "✓" : "✗");
    return given == lines ? 0 : 1;
}
