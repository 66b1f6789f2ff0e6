/* A process X that talks through proti.c to a partner Y, which may send anything at any time.

   proti.c is included, not linked, so that its static variables and functions can be reached. The start-up phase is skipped: the
   window is 2 packets, a data packet is 18 bytes long (8 of them data), and packets are numbered from 0 to 3.

   On the line a packet is a number between 0 and 47: its kind (0 DATA, 1 ACK, 2 NAK) times 16, plus its own number times 4, plus
   the number that it acknowledges. 48 stands for a timeout. The label maps watch `outgoing` and `incoming`.

   CALLER       1 if X placed the call, 0 if Y did
   ONE_PACKET   X sends a packet and gets an answer (thesis, Figure 6.2)
   SENDER       X sends without end
   RECEIVER     X only receives
   (none)       X sends or receives, as it likes, without end
   NO_DATA      Y sends no data packets
   SHOW         print the labels of the general model, to compare it with a compiled program */

#include "proti.c"

#define WINDOW 2
#define CDATA 8
#define TIMEOUT 48

#ifdef NO_DATA
#define FIRST_PACKET 16
#else
#define FIRST_PACKET 0
#endif

char abPrecbuf[CRECBUFLEN];
int iPrecstart, iPrecend;
int iDebug;
boolean fLog_sighup;

/* The packet that X sends, and the one that it gets; -1 when nothing is on the line. */
int outgoing = -1, incoming = -1;

static struct sdaemon daemon;
static char send_buffer[IMAXSEQ][CHDRSKIPLEN + CDATA + CCKSUMLEN];
static char receive_buffer[IMAXSEQ][CHDRLEN + CDATA];

/* Any number at all. */
extern unsigned any (void);

#ifdef SHOW
static void
show (const char *who, int packet)
{
  static const char *kind[] = { "DATA", "ACK", "NAK" };

  if (packet == TIMEOUT)
    puts ("timeout");
  else
    printf ("%s%s%d%d\n", who, kind[packet / 16], packet / 4 % 4, packet % 4);
}
#else
#define show(who, packet)
#endif

/* The own number of the packet that came last. */
static int received;

static void
set_up (void)
{
  int i;

  pfIsend = fsend_data;
  pfIreceive = freceive_data;
  iIrequest_winsize = iIremote_winsize = WINDOW;
  iIrequest_packsize = iIremote_packsize = iIalc_packsize = CDATA;
  cIack_frequency = WINDOW / 2;
  /* Protocol parameters that an administrator may choose, too: no limit for errors and retries. */
  cIerrors = -1;
  cIretries = 0x7fffffff;
  iIsendseq = 1;
  daemon.fcaller = CALLER;
  for (i = 0; i < IMAXSEQ; i++)
    azIsendbuffers[i] = send_buffer[i];
}

/* X sends: what it says becomes a number. */
boolean
fsend_data (struct sconnection *qconn, const char *z, size_t c, boolean fdoread)
{
  int type, kind, packet;

  type = THDRCON_GETTYPE (z[IHDR_CONTENTS1], z[IHDR_CONTENTS2]);
  kind = type == DATA ? 0 : type - 1;
  packet = 16 * kind + 4 * IHDRWIN_GETSEQ (z[IHDR_LOCAL]) + IHDRWIN_GETSEQ (z[IHDR_REMOTE]);
  outgoing = packet;
  show ("X", packet);
  outgoing = -1;
  return TRUE;
}

/* The packet with this number comes in. Returns its length. */
static int
deliver (int packet)
{
  int kind, length, i;

  kind = packet / 16;
  length = kind == 0 ? CDATA : 0;
  received = packet / 4 % 4;
  abPrecbuf[IHDR_INTRO] = IINTRO;
  abPrecbuf[IHDR_LOCAL] = IHDRWIN_SET (received, 0);
  abPrecbuf[IHDR_REMOTE] = IHDRWIN_SET (packet % 4, 0);
  abPrecbuf[IHDR_CONTENTS1] = IHDRCON_SET1 (kind == 0 ? DATA : kind + 1, ! CALLER, length);
  abPrecbuf[IHDR_CONTENTS2] = IHDRCON_SET2 (kind, ! CALLER, length);
  abPrecbuf[IHDR_CHECK] = IHDRCHECK_VAL (abPrecbuf);
  if (kind == 0)
    for (i = 0; i < CCKSUMLEN; i++)
      abPrecbuf[CHDRLEN + CDATA + i] = 0;
  iPrecstart = 0;
  iPrecend = kind == 0 ? CHDRLEN + CDATA + CCKSUMLEN : CHDRLEN;
  return iPrecend;
}

/* X waits for a packet; the input buffer is always empty then. */
boolean
freceive_data (struct sconnection *qconn, size_t cneed, size_t *pcrec, int ctimeout, boolean freport)
{
  int packet;

  incoming = FIRST_PACKET + any () % (TIMEOUT + 1 - FIRST_PACKET);
  packet = incoming;
  show ("Y", packet);
  incoming = -1;
  *pcrec = packet == TIMEOUT ? 0 : deliver (packet);
  return TRUE;
}

/* Packets that come early are kept in the buffer of their number. */
char *
zbufalc (size_t c)
{
  return receive_buffer[received];
}

void
ubuffree (char *z)
{
}

/* The contents of packets are not modelled: every checksum is right. */
unsigned long
icrc (const char *z, size_t c, unsigned long ick)
{
  return 0;
}

boolean
fgot_data (struct sdaemon *qdaemon, const char *zfirst, size_t cfirst, const char *zsecond, size_t csecond, int ilocal,
	   int iremote, long ipos, boolean fallacked, boolean *pfexit)
{
#ifdef SHOW
  puts ("got_data");
#endif
  return TRUE;
}

void
uwindow_acked (struct sdaemon *qdaemon, boolean fallacked)
{
}

static boolean
send_one (void)
{
  size_t space;
  char *z;

  z = zigetspace (&daemon, &space);
  return fisenddata (&daemon, z, CDATA, 0, 0, -1);
}

static void
one_packet (void)
{
  boolean fexit;

  send_one ();
  incoming = any () % TIMEOUT;
  deliver (incoming);
  incoming = -1;
  fiprocess_data (&daemon, &fexit, NULL, NULL);
}

int
main (int argc, char **argv)
{
  set_up ();
#if defined ONE_PACKET
  one_packet ();
#elif defined SENDER
  while (send_one ())
    ;
#elif defined RECEIVER
  while (fiwait (&daemon))
    ;
#else
  while (any () % 2 ? send_one () : fiwait_for_packet (&daemon, cItimeout, cIretries, TRUE, NULL))
    ;
#endif
  return 0;
}
