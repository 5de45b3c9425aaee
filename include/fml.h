/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fml.h - the FML names of the field buffer interface
 *
 * Macros for applications written for Tuxedo; the functions are in ubf.h. 16
 * and 32 bit buffers are the same here. For a field of type FLD_PTR, Fadd and Fchg
 * take the pointer itself, Badd and Bchg a pointer to it.
 */
#ifndef FML_H
#define FML_H

#include <ubf.h>

#define FLDID BFLDID
#define FLDLEN BFLDLEN
#define FLDOCC BFLDOCC
#define FBFR UBFH
#define FMLTYPE "FML" /* for tpalloc() */
#define FVIEWFLD BVIEWFLD
#define Ferror Berror

#define FLD_SHORT BFLD_SHORT
#define FLD_LONG BFLD_LONG
#define FLD_CHAR BFLD_CHAR
#define FLD_FLOAT BFLD_FLOAT
#define FLD_DOUBLE BFLD_DOUBLE
#define FLD_STRING BFLD_STRING
#define FLD_CARRAY BFLD_CARRAY
#define FLD_INT BFLD_INT
#define FLD_PTR BFLD_PTR
#define FLD_FML32 BFLD_UBF
#define FLD_VIEW32 BFLD_VIEW
#define FLD_DECIMAL BFLD_RFU0	/* no field has it, nor the next one */
#define FLD_MBSTRING 12
#define BADFLDID BBADFLDID
#define FIRSTFLDID BFIRSTFLDID
#define BADFLDOCC BBADFLDOCC
#define FMINVAL BMINVAL
#define FERFU0 BERFU0
#define FALIGNERR BALIGNERR
#define FNOTFLD BNOTFLD
#define FNOSPACE BNOSPACE
#define FNOTPRES BNOTPRES
#define FBADFLD BBADFLD
#define FTYPERR BTYPERR
#define FEUNIX BEUNIX
#define FBADNAME BBADNAME
#define FMALLOC BMALLOC
#define FSYNTAX BSYNTAX
#define FFTOPEN BFTOPEN
#define FFTSYNTAX BFTSYNTAX
#define FEINVAL BEINVAL
#define FERFU1 BERFU1
#define FBADTBL BBADTBL
#define FBADVIEW BBADVIEW
#define FVFSYNTAX BVFSYNTAX
#define FVFOPEN BVFOPEN
#define FBADACM BBADACM
#define FNOCNAME BNOCNAME
#define FEBADOP BEBADOP
#define FMAXVAL BMAXVAL
#define F_FTOS B_FTOS
#define F_STOF B_STOF
#define F_OFF B_OFF
#define F_BOTH B_BOTH
#define FUPDATE BUPDATE
#define FOJOIN BOJOIN
#define FJOIN BJOIN
#define FCONCAT BCONCAT
#define FSTDXINT 16
#define FMAXNULLSIZE NDRX_VIEW_NULL_LEN
#define FVIEWNAMESIZE NDRX_VIEW_NAME_LEN
#define MAXFBLEN MAXUBFLEN

/* Names that are not F for B. */
#define Fldid Bfldid
#define Fldno Bfldno
#define Fldtype Bfldtype
#define Fname Bfname
#define Fielded Bisubf
#define Fvall ndrx_Fvall
#define Fvals ndrx_Fvals
#define Fappend ndrx_Fadd	/* fields stay in order all the same */
#define Fidnm_unload() ((void)0)	/* tables stay: others may read them */
#define Fnmid_unload() ((void)0)

#define Fstrerror Bstrerror
#define Fecodestr Becodestr
#define F_error B_error
#define F_ERROR B_error
#define Falloc Balloc
#define Frealloc Brealloc
#define Ffree Bfree
#define Finit Binit
#define Fcpy Bcpy
#define Fmove Bmove
#define Fsizeof Bsizeof
#define Fused Bused
#define Funused Bunused
#define Fneeded Bneeded
#define Fisubf Bisubf
#define Findex Bindex
#define Funindex Bunindex
#define Fidxused Bidxused
#define Frstrindex Brstrindex
#define Fadd ndrx_Fadd
#define Faddfast Baddfast
#define CFadd CBadd
#define CFaddfast CBaddfast
#define Fadds Badds
#define Fchg ndrx_Fchg
#define CFchg CBchg
#define Fchgs Bchgs
#define Fdel Bdel
#define Fdelall Bdelall
#define Fdelete Bdelete
#define Fget Bget
#define CFget CBget
#define Fgets Bgets
#define Fgetsa Bgetsa
#define Fgetalloc Bgetalloc
#define CFgetalloc CBgetalloc
#define Fgetlast Bgetlast
#define Ffind Bfind
#define CFfind CBfind
#define Ffinds Bfinds
#define Ffindlast Bfindlast
#define Ffindocc Bfindocc
#define CFfindocc CBfindocc
#define Fpres Bpres
#define Foccur Boccur
#define Fnum Bnum
#define Flen Blen
#define Fnext Bnext
#define Fnext2 Bnext2
#define Fcmp Bcmp
#define Fsubset Bsubset
#define Fproj Bproj
#define Fprojcpy Bprojcpy
#define Fupdate Bupdate
#define Fconcat Bconcat
#define Fjoin Bjoin
#define Fojoin Bojoin
#define Ffldid Bfldid
#define Ffname Bfname
#define Fmkfldid Bmkfldid
#define Ffldtype Bfldtype
#define Ffldno Bfldno
#define Ftype Btype
#define Ftypcvt Btypcvt
#define Fprint Bprint
#define Ffprint Bfprint
#define Ffprintcb Bfprintcb
#define Fextread Bextread
#define Fextreadcb Bextreadcb
#define Fwrite Bwrite
#define Fread Bread
#define Fwritecb Bwritecb
#define Fchksum Bchksum
#define Freadcb Breadcb
#define Fboolco Bboolcofml
#define Fboolev Bboolev
#define Ffloatev Bfloatev
#define Fboolpr Bboolpr
#define Fboolprcb Bboolprcb
#define Fvboolco Bvboolco
#define Fvboolev Bvboolev
#define Fvfloatev Bvfloatev
#define Fvboolpr Bvboolpr
#define Ftreefree Btreefree
#define Fboolsetcbf Bboolsetcbf
#define Fboolsetcbf2 Bboolsetcbf2
#define Fgetr Bgetr
#define Fgetrv Bgetrv
#define CFgetr CBgetr
#define CFgetrv CBgetrv
#define CFgetallocr CBgetallocr
#define CFgetallocrv CBgetallocrv
#define Ffindr Bfindr
#define Ffindrv Bfindrv
#define CFfindr CBfindr
#define CFfindrv CBfindrv
#define Fpresr Bpresr
#define Fpresrv Bpresrv
#define CFvgetr CBvgetr
#define CFvgetrv CBvgetrv
#define CFvgetallocr CBvgetallocr
#define CFvgetallocrv CBvgetallocrv
#define Fvnullr Bvnullr
#define Fvnullrv Bvnullrv
#define Fvnull Bvnull
#define Fvselinit Bvselinit
#define Fvsinit Bvsinit
#define Fvrefresh Bvrefresh
#define Fvopt Bvopt
#define Fvftos Bvftos
#define Fvstof Bvstof
#define CFvget CBvget
#define CFvgetalloc CBvgetalloc
#define CFvchg CBvchg
#define Fvsizeof Bvsizeof
#define Fvneeded Bvneeded
#define Fvcpy Bvcpy
#define Fvoccur Bvoccur
#define Fvsetoccur Bvsetoccur
#define Fvnext Bvnext
#define Fvcmp Bvcmp
#define Fvprint Bvprint
#define Fvfprint Bvfprint
#define Fvfprintcb Bvfprintcb
#define Fvextread Bvextread
#define Fvextreadcb Bvextreadcb

#endif
