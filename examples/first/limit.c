/* Ends a buffer with a zero, so that it is a string. */
void end(char *buffer, unsigned long size)
{
    buffer[size - 1] = 0;
}
