/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fml32.h - the FML32 names of the field buffer interface
 *
 * Macros for applications written for Tuxedo; the functions are in ubf.h. 16
 * and 32 bit buffers are the same here. For a field of type FLD_PTR, Fadd32 and
 * Fchg32 take the pointer itself, Badd and Bchg a pointer to it.
 */
#ifndef FML32_H
#define FML32_H

#include <ubf.h>
#include <fml.h>

#define FLDID32 BFLDID
#define FLDLEN32 BFLDLEN
#define FLDOCC32 BFLDOCC
#define FBFR32 UBFH
#define FMLTYPE32 "FML32"
#define Ferror32 Berror
#define MAXFBLEN32 MAXUBFLEN

/* Names that are not F for B. */
#define Fldid32 Bfldid
#define Fldno32 Bfldno
#define Fldtype32 Bfldtype
#define Fname32 Bfname
#define Fielded32 Bisubf
#define Fvall32 ndrx_Fvall
#define Fvals32 ndrx_Fvals
#define Fappend32 ndrx_Fadd
#define Fidnm_unload32() ((void)0)
#define Fnmid_unload32() ((void)0)

#define Fstrerror32 Bstrerror
#define Fecodestr32 Becodestr
#define F_error32 B_error
#define F_ERROR32 B_error
#define Falloc32 Balloc
#define Frealloc32 Brealloc
#define Ffree32 Bfree
#define Finit32 Binit
#define Fcpy32 Bcpy
#define Fmove32 Bmove
#define Fsizeof32 Bsizeof
#define Fused32 Bused
#define Funused32 Bunused
#define Fneeded32 Bneeded
#define Fisubf32 Bisubf
#define Findex32 Bindex
#define Funindex32 Bunindex
#define Fidxused32 Bidxused
#define Frstrindex32 Brstrindex
#define Fadd32 ndrx_Fadd
#define Faddfast32 Baddfast
#define CFadd32 CBadd
#define CFaddfast32 CBaddfast
#define Fadds32 Badds
#define Fchg32 ndrx_Fchg
#define CFchg32 CBchg
#define Fchgs32 Bchgs
#define Fdel32 Bdel
#define Fdelall32 Bdelall
#define Fdelete32 Bdelete
#define Fget32 Bget
#define CFget32 CBget
#define Fgets32 Bgets
#define Fgetsa32 Bgetsa
#define Fgetalloc32 Bgetalloc
#define CFgetalloc32 CBgetalloc
#define Fgetlast32 Bgetlast
#define Ffind32 Bfind
#define CFfind32 CBfind
#define Ffinds32 Bfinds
#define Ffindlast32 Bfindlast
#define Ffindocc32 Bfindocc
#define CFfindocc32 CBfindocc
#define Fpres32 Bpres
#define Foccur32 Boccur
#define Fnum32 Bnum
#define Flen32 Blen
#define Fnext32 Bnext
#define Fnext232 Bnext2
#define Fcmp32 Bcmp
#define Fsubset32 Bsubset
#define Fproj32 Bproj
#define Fprojcpy32 Bprojcpy
#define Fupdate32 Bupdate
#define Fconcat32 Bconcat
#define Fjoin32 Bjoin
#define Fojoin32 Bojoin
#define Ffldid32 Bfldid
#define Ffname32 Bfname
#define Fmkfldid32 Bmkfldid
#define Ffldtype32 Bfldtype
#define Ffldno32 Bfldno
#define Ftype32 Btype
#define Ftypcvt32 Btypcvt
#define Fprint32 Bprint
#define Ffprint32 Bfprint
#define Ffprintcb32 Bfprintcb
#define Fextread32 Bextread
#define Fextreadcb32 Bextreadcb
#define Fwrite32 Bwrite
#define Fread32 Bread
#define Fwritecb32 Bwritecb
#define Fchksum32 Bchksum
#define Freadcb32 Breadcb
#define Fboolco32 Bboolcofml
#define Fboolev32 Bboolev
#define Ffloatev32 Bfloatev
#define Fboolpr32 Bboolpr
#define Fboolprcb32 Bboolprcb
#define Fvboolco32 Bvboolco
#define Fvboolev32 Bvboolev
#define Fvfloatev32 Bvfloatev
#define Fvboolpr32 Bvboolpr
#define Ftreefree32 Btreefree
#define Fboolsetcbf32 Bboolsetcbf
#define Fboolsetcbf232 Bboolsetcbf2
#define Fgetr32 Bgetr
#define Fgetrv32 Bgetrv
#define CFgetr32 CBgetr
#define CFgetrv32 CBgetrv
#define CFgetallocr32 CBgetallocr
#define CFgetallocrv32 CBgetallocrv
#define Ffindr32 Bfindr
#define Ffindrv32 Bfindrv
#define CFfindr32 CBfindr
#define CFfindrv32 CBfindrv
#define Fpresr32 Bpresr
#define Fpresrv32 Bpresrv
#define CFvgetr32 CBvgetr
#define CFvgetrv32 CBvgetrv
#define CFvgetallocr32 CBvgetallocr
#define CFvgetallocrv32 CBvgetallocrv
#define Fvnullr32 Bvnullr
#define Fvnullrv32 Bvnullrv
#define Fvnull32 Bvnull
#define Fvselinit32 Bvselinit
#define Fvsinit32 Bvsinit
#define Fvrefresh32 Bvrefresh
#define Fvopt32 Bvopt
#define Fvftos32 Bvftos
#define Fvstof32 Bvstof
#define CFvget32 CBvget
#define CFvgetalloc32 CBvgetalloc
#define CFvchg32 CBvchg
#define Fvsizeof32 Bvsizeof
#define Fvneeded32 Bvneeded
#define Fvcpy32 Bvcpy
#define Fvoccur32 Bvoccur
#define Fvsetoccur32 Bvsetoccur
#define Fvnext32 Bvnext
#define Fvcmp32 Bvcmp
#define Fvprint32 Bvprint
#define Fvfprint32 Bvfprint
#define Fvfprintcb32 Bvfprintcb
#define Fvextread32 Bvextread
#define Fvextreadcb32 Bvextreadcb

#endif
