/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubf.h - the typed-field buffer (UBF) and VIEW interface
 *
 * A UBF buffer holds fields: (id, occurrence, value), kept in the order of
 * ids. It is one piece of memory without pointers, so that its used part can
 * be sent, copied with memcpy() and stored. Names and values are those that
 * FML and Enduro/X applications compile against; the FML names are in fml.h,
 * fml32.h and fml1632.h.
 *
 * Common to all functions:
 *  - Result: unless another one is documented, -1 (int, long), NULL (pointer)
 *    or BBADFLDID/BBADFLDOCC means an error, and Berror is set. Berror is per
 *    thread; each call clears it.
 *  - Errors of every function with a buffer: BNOTFLD (NULL, or not a buffer),
 *    BALIGNERR (the address is not a multiple of 8). Of every function with a
 *    field id: BBADFLD. Only further errors are listed below.
 *  - Lengths are in bytes; the length of a string includes its final NUL.
 *  - Occurrences count from 0.
 *  - Several threads may read a buffer at once; only one may change it.
 *  - Pointers into a buffer (Bfind...) are valid until its next change.
 * Source: Tuxedo FML32, unless "ours" or "Enduro/X" is said.
 */
#ifndef UBF_H
#define UBF_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- field types and ids --------------------------------------------- */
#define BFLD_MIN    0
#define BFLD_SHORT  0	/* short, 2 bytes */
#define BFLD_LONG   1	/* long, 8 bytes */
#define BFLD_CHAR   2	/* one byte; unsigned when used as a number */
#define BFLD_FLOAT  3	/* float, 4 bytes */
#define BFLD_DOUBLE 4	/* double, 8 bytes */
#define BFLD_STRING 5	/* bytes up to and including a NUL */
#define BFLD_CARRAY 6	/* bytes with a length */
#define BFLD_INT    7	/* int, 4 bytes; members of views only */
#define BFLD_RFU0   8	/* not used */
#define BFLD_PTR    9	/* a pointer; meaningful in one process only */
#define BFLD_UBF    10	/* an embedded UBF buffer */
#define BFLD_VIEW   11	/* an embedded view */
#define BFLD_MAX    11

#define BBADFLDID   0	/* no field; ends lists of ids */
#define BFIRSTFLDID 0	/* Bnext: start */
#define BBADFLDOCC  (-1)	/* no occurrence; ends field paths */
#define BFLDOCCMAX  128
#define UBFFLDMAX   64	/* bytes in the name of a field */
#define BF_LENGTH   64
#define MAXUBFLEN   0xffffffff	/* bytes in the largest buffer */
#define UBF_VERSION 1

#define BVACCESS_NOTNULL 1	/* CBvget...: a NULL value is BNOTPRES */

#define B_FTOS 1	/* Bvopt: from buffer to structure */
#define B_STOF 2	/* from structure to buffer */
#define B_OFF  3	/* neither */
#define B_BOTH 4

#define BUPDATE 1	/* Bvstof: as Bupdate */
#define BOJOIN  2
#define BJOIN   3
#define BCONCAT 4

#define NDRX_VIEW_CNAME_LEN     256
#define NDRX_VIEW_FLAGS_LEN     16
#define NDRX_VIEW_NULL_LEN      2660
#define NDRX_VIEW_NAME_LEN      33
#define NDRX_VIEW_COMPFLAGS_LEN 128

/* ---- errors ---------------------------------------------------------- */
#define BMINVAL    0
#define BERFU0     1
#define BALIGNERR  2	/* buffer not aligned */
#define BNOTFLD    3	/* not a UBF buffer */
#define BNOSPACE   4	/* no room, in the buffer or in the caller's memory */
#define BNOTPRES   5	/* no such field or occurrence */
#define BBADFLD    6	/* not a field id */
#define BTYPERR    7	/* not a field type */
#define BEUNIX     8	/* a system call failed, see errno */
#define BBADNAME   9	/* no field of that name */
#define BMALLOC    10	/* out of memory */
#define BSYNTAX    11	/* expression or text malformed */
#define BFTOPEN    12	/* field tables cannot be found */
#define BFTSYNTAX  13	/* field table malformed */
#define BEINVAL    14	/* argument invalid */
#define BERFU1     15	/* function not built */
#define BBADTBL    16
#define BBADVIEW   17	/* no such view */
#define BVFSYNTAX  18	/* view file malformed */
#define BVFOPEN    19	/* view file cannot be opened */
#define BBADACM    20	/* the count of an array is negative */
#define BNOCNAME   21	/* no such member */
#define BEBADOP    22	/* no such conversion or operation */
#define BMAXVAL    22

#define Berror (*ndrx_Bget_Ferror_addr())

/* ---- types ----------------------------------------------------------- */
typedef int BFLDID;
typedef int BFLDLEN;
typedef int BFLDOCC;
typedef struct Ubfh UBFH;
#define BFLDID32 BFLDID

/* The value of a BFLD_VIEW field, as Badd takes and Bfind returns it. `data`
 * points to the structure: for Badd and Bchg to the one to copy in, for Bget
 * to the caller's memory, whose size is *buflen. Bfind and Bnext2 set it to an
 * address in the buffer, Bgetalloc to one in the memory it returns. An empty
 * name means no view and no data. The length of the field is that of the
 * structure. vflags is stored with the value. */
struct BVIEWFLD {
	unsigned int vflags;
	char vname[NDRX_VIEW_NAME_LEN + 1];
	char *data;
};
typedef struct BVIEWFLD BVIEWFLD;

/* State of Bnext2, in the caller's memory; its contents are private. */
struct Bnext_state {
	BFLDID *p_cur_bfldid;
	BFLDOCC cur_occ;
	UBFH *p_ub;
	size_t size;
	struct {
		BVIEWFLD vdata;
	} vstorage;
};
typedef struct Bnext_state Bnext_state_t;

struct Bvnext_state {
	void *v;
	void *vel;
};
typedef struct Bvnext_state Bvnext_state_t;

/* State of Baddfast; zero it before the first call. */
struct Bfld_loc_info {
	BFLDID *last_checked;
	BFLDID last_Baddfast;
};
typedef struct Bfld_loc_info Bfld_loc_info_t;

/* Handles of the field data base (LMDB). */
typedef struct EDB_env EDB_env;
typedef struct EDB_txn EDB_txn;
typedef struct EDB_cursor EDB_cursor;
typedef unsigned int EDB_dbi;
struct EDB_val {
	size_t mv_size;
	void *mv_data;
};
typedef struct EDB_val EDB_val;

/* ---- errors: functions --------------------------------------------------
 * Bstrerror returns "5:BNOTPRES (last error 5: field 1001 occurrence 0)",
 * valid until the thread calls it again; Becodestr the name only (constant).
 * B_error prints `str` and the last error to stderr. */
int *ndrx_Bget_Ferror_addr(void);
char *Bstrerror(int err);
char *Becodestr(int err);
void B_error(char *str);

/* ---- buffers ------------------------------------------------------------
 * Balloc returns an empty buffer for f fields with v bytes of values, to be
 * freed by Bfree. Brealloc may move it: the old pointer is invalid on success
 * and valid on error; a size below the used part is BEINVAL. Binit makes `len`
 * bytes of the caller's memory an empty buffer. Bcpy replaces the contents of
 * dst; Bmove copies the Bsizeof bytes of src to any memory, aligned as by malloc,
 * which is a buffer then. The first Bused bytes are a complete buffer. Bused + Bunused = Bsizeof.
 * Bneeded returns a size that always suffices; 0 fields or bytes: BEINVAL.
 * Errors: BEINVAL, BMALLOC, BNOSPACE. */
UBFH *Balloc(BFLDOCC f, BFLDLEN v);
UBFH *Brealloc(UBFH *p_ub, BFLDOCC f, BFLDLEN v);
int Bfree(UBFH *p_ub);
int Binit(UBFH *p_ub, BFLDLEN len);
int Bcpy(UBFH *p_ub_dst, UBFH *p_ub_src);
int Bmove(char *dest, UBFH *src);
long Bsizeof(UBFH *p_ub);
long Bused(UBFH *p_ub);
long Bunused(UBFH *p_ub);
long Bneeded(BFLDOCC nrfields, BFLDLEN totsize);
int Bisubf(UBFH *p_ub);	/* 1 or 0 */

/* Kept for FML. A buffer is always indexed: the index functions return 0. Both
 * conversions copy. */
int Bindex(UBFH *p_ub, BFLDOCC occ);
BFLDOCC Bunindex(UBFH *p_ub);
long Bidxused(UBFH *p_ub);
int Brstrindex(UBFH *p_ub, BFLDOCC occ);
int B16to32(UBFH *dst, UBFH *src);
int B32to16(UBFH *dst, UBFH *src);

/* ---- add, change, delete ------------------------------------------------
 * The value is copied in. `len` matters for BFLD_CARRAY only. CB...: the value
 * is of type `usrtype` and is converted. For BFLD_PTR `buf` points to the
 * pointer (ndrx_Fadd, ndrx_Fchg: `buf` is the pointer).
 * Bchg of an occurrence beyond the last adds default values in between;
 * occurrence -1 adds; buf NULL deletes. Baddfast needs ids in ascending order,
 * equal ones allowed. Bdelete's list ends with BBADFLDID; BNOTPRES if
 * none of its fields is present.
 * Errors: BNOSPACE (buffer unchanged), BEINVAL, BMALLOC, BNOTPRES (deletes),
 * CB...: BTYPERR, BEBADOP. */
int Badd(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len);
int Baddfast(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len,
	     Bfld_loc_info_t *next_fld);
int CBadd(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len, int usrtype);
int CBaddfast(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len, int usrtype,
	      Bfld_loc_info_t *next_fld);
int Badds(UBFH *p_ub, BFLDID bfldid, char *buf);
int Bchg(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN len);
int CBchg(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN len,
	  int usrtype);
int Bchgs(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf);
int Bdel(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
int Bdelall(UBFH *p_ub, BFLDID bfldid);
int Bdelete(UBFH *p_ub, BFLDID *fldlist);
int ndrx_Fadd(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len);
int ndrx_Fchg(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN len);
/* Fvall, Fvals: the value of a long or short field as a long, of a string field
 * as a pointer into the buffer. Where it is absent or of another type (BTYPERR)
 * 0 or "", which nobody may write to; Berror is set. (Tuxedo) */
long ndrx_Fvall(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
char *ndrx_Fvals(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);

/* ---- get and find -------------------------------------------------------
 * Bget and CBget copy the value out. *buflen is the room at `buf` before and
 * the length of the value after the call; NULL means that there is room enough,
 * which Bgets always assumes. The ...alloc functions return malloc'ed memory,
 * *extralen bytes more than the value needs, and set *extralen to the length
 * of the value. Bfind returns a pointer into the buffer; CBfind one to memory
 * of the thread, valid until its next CBfind or Bfinds. Bfindocc returns the
 * occurrence that has a value; a string value with `len` other than 0 is a
 * POSIX extended regular expression for the whole string.
 * Errors: BNOTPRES, BNOSPACE, BEINVAL (an occurrence below -1), BMALLOC,
 * CB...: BTYPERR, BEBADOP. */
int Bget(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN *buflen);
int CBget(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN *buflen,
	  int usrtype);
int Bgets(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf);
char *Bgetsa(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *extralen);
char *Bgetalloc(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *extralen);
char *CBgetalloc(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, int usrtype,
		 BFLDLEN *extralen);
int Bgetlast(UBFH *p_ub, BFLDID bfldid, BFLDOCC *occ, char *buf,
	     BFLDLEN *buflen);
char *Bfind(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *p_len);
char *CBfind(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *p_len,
	     int usrtype);
char *Bfinds(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
char *Bfindlast(UBFH *p_ub, BFLDID bfldid, BFLDOCC *occ, BFLDLEN *p_len);
BFLDOCC Bfindocc(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len);
BFLDOCC CBfindocc(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len,
		  int usrtype);

/* ---- inspect ------------------------------------------------------------
 * Bpres returns 1 or 0, for a bad buffer 0 with Berror set. Boccur counts the
 * occurrences of a field, Bnum those of all fields. Bnext steps through the
 * fields in the order of ids, beginning with *bfldid BFIRSTFLDID; it returns 1
 * for a field and 0 at the end; buf and buflen may be NULL. It depends on
 * *bfldid and *occ only, so a program can step through several buffers at once
 * and delete the field found (ours). Bnext2 sets *d_ptr to the value; the
 * caller keeps the state. Bcmp returns -1, 0 or 1, on error -2. Of
 * two carrays the longer one is greater. Bsubset returns 1 if every occurrence
 * of needle equals the same occurrence of haystack, else 0; an embedded buffer
 * need only be a subset of the other one.
 * Errors: BNOTPRES (Blen), BNOSPACE, BEINVAL (an occurrence below -1). */
int Bpres(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
BFLDOCC Boccur(UBFH *p_ub, BFLDID bfldid);
BFLDOCC Bnum(UBFH *p_ub);
int Blen(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ);
int Bnext(UBFH *p_ub, BFLDID *bfldid, BFLDOCC *occ, char *buf,
	  BFLDLEN *buflen);
int Bnext2(Bnext_state_t *bnext_state, UBFH *p_ub, BFLDID *bfldid,
	   BFLDOCC *occ, char *buf, BFLDLEN *buflen, char **d_ptr);
int Bcmp(UBFH *p_ubf1, UBFH *p_ubf2);
int Bsubset(UBFH *haystack, UBFH *needle);

/* ---- whole buffers ------------------------------------------------------
 * Bproj keeps the fields of the list, which ends with BBADFLDID (NULL: none).
 * Bprojcpy replaces dst by those fields of src. Bupdate sets each occurrence of
 * src in dst. Bconcat adds all occurrences of src to dst. Bojoin changes the
 * occurrences that both have; Bjoin also deletes those that only dst has.
 * Errors: BNOSPACE (dst unchanged), BMALLOC. */
int Bproj(UBFH *p_ub, BFLDID *fldlist);
int Bprojcpy(UBFH *p_ub_dst, UBFH *p_ub_src, BFLDID *fldlist);
int Bupdate(UBFH *p_ub_dst, UBFH *p_ub_src);
int Bconcat(UBFH *p_ub_dst, UBFH *p_ub_src);
int Bjoin(UBFH *dest, UBFH *src);
int Bojoin(UBFH *dest, UBFH *src);

/* ---- names and types ----------------------------------------------------
 * FIELDTBLS (separated by commas) names the field tables, FLDTBLDIR (separated
 * by colons) their folders. They are read at the first use, and again when a
 * name or an id is not found and the files have changed (ours; checked once a
 * second at most). Names returned are valid until the process ends. Errors:
 * Bfldid BFTOPEN, BFTSYNTAX, BBADNAME; Bfname BFTOPEN, BFTSYNTAX, BBADFLD;
 * Btype BTYPERR; Bmkfldid BTYPERR, BBADFLD. Btypcvt returns malloc'ed memory;
 * from_len matters for BFLD_CARRAY only. */
BFLDID Bfldid(char *fldnm);
char *Bfname(BFLDID bfldid);
BFLDID Bmkfldid(int fldtype, BFLDID bfldid);
int Bfldtype(BFLDID bfldid);
BFLDOCC Bfldno(BFLDID bfldid);
char *Btype(BFLDID bfldid);
char *Btypcvt(BFLDLEN *to_len, int to_type, char *from_buf, int from_type,
	      BFLDLEN from_len);

/* ---- text and binary form -----------------------------------------------
 * Bfprint writes "NAME<TAB>VALUE<LF>" for each occurrence; a byte that is not
 * printable as \xx, a backslash as \\, an unknown field as ((BFLDID32)<id>).
 * Bfprintcb passes each line to the function instead (datalen includes the
 * NUL, `outf` is NULL, *do_write is not used). Bextread adds fields from the
 * same text; a line may begin with "+ " (change occurrence 0), "- " (delete
 * it), "= " (set it from the field named as the value) or "#" (comment);
 * pointers are skipped unless NDRX_APIFLAGS has ubf_ptrparse. On error the
 * lines before the bad one have taken effect. Bwrite writes a format with
 * version, byte order and checksum, which other versions and machines can read
 * (ours); Bread checks what it reads before it replaces the contents.
 * Callbacks return the number of bytes handled, -1 on error.
 * Errors: BEUNIX, BEINVAL, BSYNTAX, BBADNAME, BBADVIEW, BNOSPACE, BNOTFLD. */
int Bprint(UBFH *p_ub);
int Bfprint(UBFH *p_ub, FILE *outf);
int Bfprintcb(UBFH *p_ub,
	      int (*p_writef)(char **buffer, long datalen, void *dataptr1,
			      int *do_write, FILE *outf, int fid),
	      void *dataptr1);
int Bextread(UBFH *p_ub, FILE *inf);
int Bextreadcb(UBFH *p_ub,
	       long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	       void *dataptr1);
int Bwrite(UBFH *p_ub, FILE *outf);
int Bread(UBFH *p_ub, FILE *inf);
int Bwritecb(UBFH *p_ub,
	     long (*p_writef)(char *buffer, long bufsz, void *dataptr1),
	     void *dataptr1);
int Breadcb(UBFH *p_ub,
	    long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	    void *dataptr1);

/* A checksum of the fields, which the form in memory does not change; -1: BMALLOC.
 * (Tuxedo: Fchksum) */
long Bchksum(UBFH *p_ub);

/* ---- boolean expressions ------------------------------------------------
 * Bboolco compiles an expression to a tree, to be freed by Btreefree. Any
 * number of threads may evaluate a tree at once. Bboolev returns 1, 0 or -1;
 * Bfloatev the value as a number, on error -1 with Berror set. [?] tries every
 * occurrence. An absent field or a division by zero makes != and !% true,
 * other comparisons and arithmetic false. Bboolprcb's function gets pieces of
 * text; datalen includes the NUL. Callback functions have names of 1..64
 * letters, digits and _ and an argument of up to 510 bytes ("" when none is
 * written); they must be set before Bboolco; NULL removes one. Limits:
 * 1,000,000 bytes, 1000 operators pending.
 * Errors: BSYNTAX, BBADNAME (a name, or a quote that stays open behind one),
 * BFTOPEN, BFTSYNTAX, BMALLOC, BEBADOP (a buffer,
 * view or [?] where one value is needed), BEINVAL (no expression, no tree). */
char *Bboolco(char *expr);
/* The same by the rules of Fboolco(): a pattern matches the whole value, and \xx in
 * a text or pattern, two hexadecimal digits, is the character of that code. */
char *Bboolcofml(char *expr);
int Bboolev(UBFH *p_ub, char *tree);
double Bfloatev(UBFH *p_ub, char *tree);
void Bboolpr(char *tree, FILE *outf);
/* The same for a structure: the names are members of `view`, the rules are those
 * of Fboolco(), there are no functions. An element is present up to the count
 * member. A tree belongs to its view: BEINVAL for another one, or a buffer. Also
 * BBADVIEW, BBADNAME (no such member). (Tuxedo: Fvboolco) */
char *Bvboolco(char *expr, char *view);
int Bvboolev(char *cstruct, char *tree, char *view);
double Bvfloatev(char *cstruct, char *tree, char *view);
void Bvboolpr(char *tree, FILE *outf, char *view);
void Bboolprcb(char *tree,
	       int (*p_writef)(char *buffer, long datalen, void *dataptr1),
	       void *dataptr1);
void Btreefree(char *tree);
int Bboolsetcbf(char *funcname, long (*functionPtr)(UBFH *p_ubf,
						     char *funcname));
int Bboolsetcbf2(char *funcname,
		 long (*functionPtr)(UBFH *p_ubf, char *funcname,
				     char *arg1));

/* ---- fields in embedded buffers (Enduro/X) ------------------------------
 * A path is FLDID, OCC, FLDID, OCC, ..., BBADFLDOCC: an array (...r) or
 * variable arguments of type int (...rv). All fields but the last are of type
 * BFLD_UBF.
 * Errors: those of the plain function, BBADFLD (bad path), BEBADOP (not a
 * view). */
int Bgetr(UBFH *p_ub, BFLDID *fldidocc, char *buf, BFLDLEN *buflen);
int Bgetrv(UBFH *p_ub, char *buf, BFLDLEN *buflen, ...);
int CBgetr(UBFH *p_ub, BFLDID *fldidocc, char *buf, BFLDLEN *buflen,
	   int usrtype);
int CBgetrv(UBFH *p_ub, char *buf, BFLDLEN *buflen, int usrtype, ...);
char *CBgetallocr(UBFH *p_ub, BFLDID *fldidocc, int usrtype,
		  BFLDLEN *extralen);
char *CBgetallocrv(UBFH *p_ub, int usrtype, BFLDLEN *extralen, ...);
char *Bfindr(UBFH *p_ub, BFLDID *fldidocc, BFLDLEN *p_len);
char *Bfindrv(UBFH *p_ub, BFLDLEN *p_len, ...);
char *CBfindr(UBFH *p_ub, BFLDID *fldidocc, BFLDLEN *p_len, int usrtype);
char *CBfindrv(UBFH *p_ub, BFLDLEN *p_len, int usrtype, ...);
int Bpresr(UBFH *p_ub, BFLDID *fldidocc);
int Bpresrv(UBFH *p_ub, ...);
int CBvgetr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ, char *buf,
	    BFLDLEN *buflen, int usrtype, long flags);
int CBvgetrv(UBFH *p_ub, char *cname, BFLDOCC occ, char *buf, BFLDLEN *buflen,
	     int usrtype, long flags, ...);
char *CBvgetallocr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ,
		   int usrtype, long flags, BFLDLEN *extralen);
char *CBvgetallocrv(UBFH *p_ub, char *cname, BFLDOCC occ, int usrtype,
		    long flags, BFLDLEN *extralen, ...);
int Bvnullr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ);
int Bvnullrv(UBFH *p_ub, char *cname, BFLDOCC occ, ...);

/* ---- field data base (Enduro/X) -----------------------------------------
 * Fields that processes share, in the folder NDRX_UBFDB; searched by all
 * functions after the field tables. Bflddbload returns 1, or 0 without a
 * folder. `txn` NULL: a transaction of their own. Transactions and cursors:
 * exdb.h. A name of Bflddbname is valid until the thread asks for the next.
 * Errors: BFTOPEN, BEUNIX, BBADNAME, BBADFLD, BTYPERR, BEINVAL, BNOTPRES,
 * BNOSPACE. */
int Bflddbload(void);
int Bflddbunload(void);
int Bflddbunlink(void);
BFLDID Bflddbid(char *fldname);
char *Bflddbname(BFLDID bfldid);
int Bflddbget(EDB_val *data, BFLDID *p_bfldid, BFLDID *p_bfldno,
	      short *p_bfldtype, char *fldname, int fldname_bufsz);
int Bflddbadd(EDB_txn *txn, short fldtype, BFLDID bfldno, char *fldname);
int Bflddbdel(EDB_txn *txn, BFLDID bfldid);
int Bflddbdrop(EDB_txn *txn);
EDB_env *Bfldddbgetenv(EDB_dbi **dbi_id, EDB_dbi **dbi_nm);

/* ---- views --------------------------------------------------------------
 * `view` is the name of a view. VIEWFILES (separated by commas; .v, or .V of
 * viewc) names the view files, VIEWDIR (separated by colons) their folders;
 * they are read once, at the first use; a file that no folder has is left out. `cstruct` points to the structure,
 * `cname` is the name of a member.
 * Bvnull returns 1 or 0; elements beyond the count member are null. Bvsinit and
 * Bvselinit make members null, counts 0, and lengths those of the null value. Bvrefresh does
 * nothing. Bvopt sets the mapping of a member for this process (B_FTOS...).
 * Bvftos sets the mapped members from fields, to null where a field is absent,
 * and all other members to null; arrays are cut, a value too long is BNOSPACE.
 * Bvstof adds the mapped fields as Bupdate, Bojoin, Bjoin or Bconcat do, all of
 * them or none (BNOSPACE); null elements at the end of an array are left out. It
 * reads the length member of a carray (above its size: BEINVAL) and sets that of
 * a string. A negative count is BBADACM.
 * CBvchg raises the count member; if the value is too long (BNOSPACE) it
 * changes nothing. CBvgetalloc returns malloc'ed memory, *extralen bytes more
 * than needed, and sets *extralen to the length. Bvsizeof, Bvneeded and Bvcpy
 * return the bytes of the structure. Bvoccur returns the elements in use; *maxocc is the
 * size of the array, *realocc the elements without the null ones at the end,
 * *dim_size the bytes of one element. Bvsetoccur sets the count member, if
 * there is one. Bvnext takes `view` at the start, then NULL; it returns 1 for a
 * member and 0 at the end; cname has room for NDRX_VIEW_CNAME_LEN + 1 bytes.
 * Bvcmp returns -1, 0 or 1, on error -2. Bvfprint prints one line per element,
 * as Bfprint; the k-th line of a member that Bvextread reads sets element k.
 * Errors: BEINVAL, BBADVIEW, BNOCNAME, BVFSYNTAX, BVFOPEN, BNOTPRES (NULL
 * value or occurrence beyond the count, with BVACCESS_NOTNULL), BNOSPACE. */
int Bvnull(char *cstruct, char *cname, BFLDOCC occ, char *view);
int Bvselinit(char *cstruct, char *cname, char *view);
int Bvsinit(char *cstruct, char *view);
void Bvrefresh(void);
int Bvopt(char *cname, int option, char *view);
int Bvftos(UBFH *p_ub, char *cstruct, char *view);
int Bvstof(UBFH *p_ub, char *cstruct, int mode, char *view);
int CBvget(char *cstruct, char *view, char *cname, BFLDOCC occ, char *buf,
	   BFLDLEN *buflen, int usrtype, long flags);
char *CBvgetalloc(char *cstruct, char *view, char *cname, BFLDOCC occ,
		  int usrtype, long flags, BFLDLEN *extralen);
int CBvchg(char *cstruct, char *view, char *cname, BFLDOCC occ, char *buf,
	   BFLDLEN len, int usrtype);
long Bvsizeof(char *view);
long Bvneeded(char *view);
long Bvcpy(char *cstruct_dst, char *cstruct_src, char *view);
BFLDOCC Bvoccur(char *cstruct, char *view, char *cname, BFLDOCC *maxocc,
		BFLDOCC *realocc, long *dim_size, int *fldtype);
int Bvsetoccur(char *cstruct, char *view, char *cname, BFLDOCC occ);
int Bvnext(Bvnext_state_t *state, char *view, char *cname, int *fldtype,
	   BFLDOCC *maxocc, long *dim_size);
int Bvcmp(char *cstruct1, char *view1, char *cstruct2, char *view2);
int Bvprint(char *cstruct, char *view);
int Bvfprint(char *cstruct, char *view, FILE *outf);
int Bvfprintcb(char *cstruct, char *view,
	       int (*p_writef)(char **buffer, long datalen, void *dataptr1,
			       int *do_write, FILE *outf, int fid),
	       void *dataptr1);
int Bvextread(char *cstruct, char *view, FILE *inf);
int Bvextreadcb(char *cstruct, char *view,
		long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
		void *dataptr1);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
