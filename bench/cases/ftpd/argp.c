/* glibc's argp_parse calls ftpd's parse_opt for the options of the command line, which can be any, in any order. With this in its
   place, what parse_opt does is in the model. */
#include <argp.h>
#include <errno.h>

extern int any (void);

error_t
argp_parse (const struct argp *argp, int argc, char **argv, unsigned flags, int *index, void *input)
{
  struct argp_state state;

  while (any ())
    if (argp->parser (any (), argv[any ()], &state))
      return EINVAL;
  *index = any ();
  return 0;
}
