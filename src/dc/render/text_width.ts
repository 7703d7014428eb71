// Advance widths of DejaVu Sans 2.37 and its bold face in 1/2048 em, for U+0020 to U+06FF and U+2000 to U+22FF: runs of
// letters of one width as <first>.<count>.<width> in base 36. A test compares them with the font's own tables.

export const REGULAR_ADVANCES =
  "w.1.i3 x.1.mt y.1.q6 z.1.1bo 10.1.107 11.1.1i2 12.1.18d 13.1.fn 14.2.m7 16.1.sg 17.1.1bo 18.1.i3 19.1.kj " +
  "1a.1.i3 1b.1.j6 1c.a.107 1m.2.j6 1o.3.1bo 1r.1.u7 1s.1.1kw 1t.1.12x 1u.1.131 1v.1.13q 1w.1.17t 1x.1.zy " +
  "1y.1.wq 1z.1.183 20.1.16s 21.2.gs 23.1.11b 24.1.vp 25.1.1d3 26.1.16k 27.1.18s 28.1.yb 29.1.18s 2a.1.13j " +
  "2b.1.104 2c.1.yr 2d.1.15n 2e.1.12x 2f.1.1k9 2g.1.12z 2h.1.yr 2i.1.12z 2j.1.m7 2k.1.j6 2l.1.m7 2m.1.1bo " +
  "2n.2.sg 2p.1.yv 2q.1.104 2r.1.va 2s.1.104 2t.1.z0 2u.1.k1 2v.1.104 2w.1.102 2x.2.ft 2z.1.wy 30.1.ft 31.1.1jf " +
  "32.1.102 33.1.yt 34.2.104 36.1.ne 37.1.tn 38.1.mb 39.1.102 3a.1.xo 3b.1.1aj 3c.2.xo 3e.1.tv 3f.1.107 3g.1.j6 " +
  "3h.1.107 3i.1.1bo 4g.1.i3 4h.1.mt 4i.4.107 4m.1.j6 4n.2.sg 4p.1.1kw 4q.1.qt 4r.1.yt 4s.1.1bo 4t.1.kj " +
  "4u.1.1kw 4v.2.sg 4x.1.1bo 4y.2.mt 50.1.sg 51.2.107 53.1.i3 54.1.sg 55.1.mt 56.1.qt 57.1.yt 58.3.1j5 5b.1.u7 " +
  "5c.6.12x 5i.1.1jf 5j.1.13q 5k.4.zy 5o.4.gs 5s.1.183 5t.1.16k 5u.5.18s 5z.1.1bo 60.1.18s 61.4.15n 65.1.yr " +
  "66.1.yf 67.1.zu 68.6.yv 6e.1.1jv 6f.1.va 6g.4.z0 6k.4.ft 6o.1.yt 6p.1.102 6q.5.yt 6v.1.1bo 6w.1.yt 6x.4.102 " +
  "71.1.xo 72.1.104 73.1.xo 74.1.12x 75.1.yv 76.1.12x 77.1.yv 78.1.12x 79.1.yv 7a.1.13q 7b.1.va 7c.1.13q " +
  "7d.1.va 7e.1.13q 7f.1.va 7g.1.13q 7h.1.va 7i.1.17t 7j.1.104 7k.1.183 7l.1.104 7m.1.zy 7n.1.z0 7o.1.zy " +
  "7p.1.z0 7q.1.zy 7r.1.z0 7s.1.zy 7t.1.z0 7u.1.zy 7v.1.z0 7w.1.183 7x.1.104 7y.1.183 7z.1.104 80.1.183 " +
  "81.1.104 82.1.183 83.1.104 84.1.16s 85.1.102 86.1.1g4 87.1.13j 88.1.gs 89.1.ft 8a.1.gs 8b.1.ft 8c.1.gs " +
  "8d.1.ft 8e.1.gs 8f.1.ft 8g.1.gs 8h.1.ft 8i.1.xk 8j.1.vm 8k.1.gs 8l.1.ft 8m.1.11b 8n.2.wy 8p.1.vp 8q.1.ft " +
  "8r.1.vp 8s.1.ft 8t.1.vp 8u.1.lc 8v.1.vp 8w.1.jg 8x.1.vz 8y.1.g6 8z.1.16k 90.1.102 91.1.16k 92.1.102 93.1.16k " +
  "94.1.102 95.1.1aa 96.1.16k 97.1.102 98.1.18s 99.1.yt 9a.1.18s 9b.1.yt 9c.1.18s 9d.1.yt 9e.1.1ov 9f.1.1m7 " +
  "9g.1.13j 9h.1.ne 9i.1.13j 9j.1.ne 9k.1.13j 9l.1.ne 9m.1.104 9n.1.tn 9o.1.104 9p.1.tn 9q.1.104 9r.1.tn " +
  "9s.1.104 9t.1.tn 9u.1.yr 9v.1.mb 9w.1.yr 9x.1.mb 9y.1.yr 9z.1.mb a0.1.15n a1.1.102 a2.1.15n a3.1.102 " +
  "a4.1.15n a5.1.102 a6.1.15n a7.1.102 a8.1.15n a9.1.102 aa.1.15n ab.1.102 ac.1.1k9 ad.1.1aj ae.1.yr af.1.xo " +
  "ag.1.yr ah.1.12z ai.1.tv aj.1.12z ak.1.tv al.1.12z am.1.tv an.1.k1 ao.1.104 ap.1.15t aq.1.131 ar.1.104 " +
  "as.1.131 at.1.104 au.1.140 av.1.13q aw.1.va ax.1.183 ay.1.1al az.1.131 b0.1.104 b1.1.yt b2.1.zy b3.1.18s " +
  "b4.1.yy b5.1.wq b6.1.k1 b7.1.183 b8.1.132 b9.1.1jz ba.1.k4 bb.1.gs bc.1.16f bd.1.wy be.1.ft bf.1.xo bg.1.1jf " +
  "bh.1.16k bi.1.102 bj.1.18s bk.1.1fy bl.1.yt bm.1.1hz bn.1.177 bo.1.113 bp.1.104 bq.1.13j br.1.104 bs.1.tn " +
  "bt.1.zy bu.1.j4 bv.1.mb bw.1.yr bx.1.mb by.1.yr bz.1.1ct c0.1.102 c1.1.17h c2.1.150 c3.1.16b c4.1.15k " +
  "c5.1.12z c6.1.tv c7.2.11w c9.1.wv ca.1.tv cb.1.107 cc.1.11w cd.1.wv ce.1.t1 cf.1.104 cg.1.gs ch.1.s0 ci.1.q4 " +
  "cj.1.gt ck.1.28w cl.1.21w cm.1.1to cn.1.1bj co.1.18r cp.1.pz cq.1.1gz cr.1.1gk cs.1.19d ct.1.12x cu.1.yv " +
  "cv.1.gs cw.1.ft cx.1.18s cy.1.yt cz.1.15n d0.1.102 d1.1.15n d2.1.102 d3.1.15n d4.1.102 d5.1.15n d6.1.102 " +
  "d7.1.15n d8.1.102 d9.1.z0 da.1.12x db.1.yv dc.1.12x dd.1.yv de.1.1jf df.1.1jv dg.1.183 dh.1.104 di.1.183 " +
  "dj.1.104 dk.1.11b dl.1.wy dm.1.18s dn.1.yt do.1.18s dp.1.yt dq.1.11w dr.1.wv ds.1.ft dt.1.28w du.1.21w " +
  "dv.1.1to dw.1.183 dx.1.104 dy.1.1rb dz.1.12t e0.1.16k e1.1.102 e2.1.12x e3.1.yv e4.1.1jf e5.1.1jv e6.1.18s " +
  "e7.1.yt e8.1.12x e9.1.yv ea.1.12x eb.1.yv ec.1.zy ed.1.z0 ee.1.zy ef.1.z0 eg.1.gs eh.1.ft ei.1.gs ej.1.ft " +
  "ek.1.18s el.1.yt em.1.18s en.1.yt eo.1.13j ep.1.ne eq.1.13j er.1.ne es.1.15n et.1.102 eu.1.15n ev.1.102 " +
  "ew.1.104 ex.1.tn ey.1.yr ez.1.mb f0.1.zo f1.1.to f2.1.16s f3.1.102 f4.1.15u f5.1.1bo f6.1.13q f7.1.yq " +
  "f8.1.12z f9.1.tv fa.1.12x fb.1.yv fc.1.zy fd.1.z0 fe.1.18s ff.1.yt fg.1.18s fh.1.yt fi.1.18s fj.1.yt " +
  "fk.1.18s fl.1.yt fm.1.yr fn.1.xo fo.1.r0 fp.1.1by fq.1.r5 fr.1.ft fs.2.1ks fu.1.12x fv.1.13q fw.1.va fx.1.vp " +
  "fy.1.yr fz.1.tn g0.1.tv g1.1.yb g2.1.r9 g3.1.131 g4.1.15n g5.1.12x g6.1.zy g7.1.z0 g8.1.gs g9.1.ft ga.1.18g " +
  "gb.1.104 gc.1.13j gd.1.ne ge.1.yr gf.1.xo gg.1.y5 gh.3.104 gk.1.v9 gl.1.va gm.1.104 gn.1.13m go.2.z0 " +
  "gq.1.1am gr.1.ur gs.1.u9 gt.1.184 gu.1.11s gv.1.ft gw.1.13l gx.1.104 gy.1.zt gz.2.xw h1.3.102 h4.1.ft " +
  "h5.1.j9 h6.1.l5 h7.1.mi h8.1.rq h9.1.fu ha.1.146 hb.3.1jf he.1.10r hf.1.10j hg.1.102 hh.1.yt hi.1.1ct " +
  "hj.1.15f hk.1.11j hl.2.nk hn.1.nj ho.1.ne hp.1.nd hq.2.u6 hs.2.yc hu.1.tn hv.2.j4 hx.1.q9 hy.1.j4 hz.2.mb " +
  "i1.1.102 i2.1.z5 i3.1.y1 i4.1.xo i5.1.1aj i6.1.xo i7.1.yr i8.2.tv ia.2.wv ic.4.t1 ig.1.18s ih.1.wz ii.1.11s " +
  "ij.1.14a ik.1.117 il.1.gm im.1.11y in.1.su io.1.15d ip.2.t1 ir.1.1lp is.1.1o6 it.1.1lm iu.1.1b8 iv.1.yp " +
  "iw.1.18a ix.1.1c9 iy.1.145 iz.1.118 j0.2.tb j2.1.11m j3.1.11r j4.1.n0 j5.1.mp j6.1.9y j7.1.eq j8.1.gt " +
  "j9.1.gu ja.1.lk jb.1.tb jc.1.l7 jd.1.fu je.1.q6 jf.3.i3 ji.2.hh jk.2.l1 jm.6.sg js.1.fn jt.3.sg jw.1.fn " +
  "jx.3.sg k0.2.j6 k2.2.hh k4.2.sg k6.1.m6 k7.1.i2 k8.6.sg ke.1.hy kf.1.sg kg.1.o8 kh.1.9g ki.1.l8 kj.1.p9 " +
  "kk.1.l1 kl.5.s2 ks.2.sg ku.1.th kz.1.sg l3.1.sg lc.28.0 nl.3.0 nr.2.0 nu.1.0 nw.7.0 og.1.118 oh.1.wb " +
  "oi.1.1d1 oj.1.10u ok.2.fu om.1.16k on.1.10z oq.1.sg or.1.v9 os.1.va ot.1.v9 ou.1.j6 ov.1.gs p0.2.sg p2.1.13e " +
  "p3.1.i3 p4.1.16g p5.1.1dk p6.1.n8 p8.1.1a8 pa.1.1ax pb.1.1az pc.1.j9 pd.1.12x pe.1.131 pf.1.vp pg.1.12x " +
  "ph.1.zy pi.1.12z pj.1.16s pk.1.18s pl.1.gs pm.1.11b pn.1.12x po.1.1d3 pp.1.16k pq.1.zy pr.1.18s ps.1.16s " +
  "pt.1.yb pv.1.zy pw.2.yr py.1.18s pz.1.12z q0.1.18s q1.1.17h q2.1.gs q3.1.yr q4.1.11i q5.1.ur q6.1.102 " +
  "q7.1.j9 q8.1.wx q9.1.11i qa.1.10b qb.1.xo qc.1.yt qd.1.ur qe.1.uy qf.1.102 qg.1.yt qh.1.j9 qi.1.xj qj.1.xo " +
  "qk.1.107 ql.1.vs qm.1.vq qn.1.yt qo.1.y9 qp.1.104 qq.1.xe qr.1.102 qs.1.y9 qt.1.wx qu.1.11j qv.1.wv qw.1.11j " +
  "qx.1.1bn qy.1.j9 qz.1.wx r0.1.yt r1.1.wx r2.1.1bn r3.1.11b r4.1.yy r5.1.z8 r6.1.13r r7.1.1bx r8.1.13r " +
  "r9.1.11j ra.1.1bn rb.1.11r rc.1.18s rd.1.yt re.1.10w rf.1.xe rg.1.wq rh.1.q3 ri.2.11j rk.1.1d8 rl.1.zp " +
  "rm.1.1h4 rn.1.1bn ro.1.175 rp.1.11i rq.1.191 rr.1.yz rs.1.132 rt.1.yj ru.1.17o rv.1.zk rw.1.13s rx.1.yt " +
  "ry.1.yr rz.1.ui s0.1.11r s1.1.104 s2.1.va s3.1.ft s4.1.18s s5.2.z0 s7.1.yf s8.1.104 s9.1.13q sa.1.1d3 " +
  "sb.1.111 sc.1.104 sd.1.140 se.1.13q sf.1.140 sg.2.zy si.1.18q sj.1.yp sk.1.13q sl.1.104 sm.3.gs sp.1.1q8 " +
  "sq.1.1ng sr.1.18q ss.1.14e st.1.16k su.1.yo sv.1.16s sw.1.12x sx.2.131 sz.1.yp t0.1.18g t1.1.zy t2.1.1pa " +
  "t3.1.10h t4.2.16k t6.1.14e t7.1.16s t8.1.1d3 t9.1.16s ta.1.18s tb.1.16s tc.1.yb td.1.13q te.1.yr tf.1.yo " +
  "tg.1.1cz th.1.12z ti.1.186 tj.1.130 tk.1.1ou tl.1.1q8 tm.1.1bd tn.1.1e7 to.1.131 tp.1.13q tq.1.1pf tr.1.13j " +
  "ts.1.yv tt.1.z3 tu.1.xj tv.1.tw tw.1.13c tx.1.z0 ty.1.1f9 tz.1.u9 u0.2.10z u2.1.yd u3.1.10d u4.1.16x " +
  "u5.1.117 u6.1.yt u7.1.117 u8.1.104 u9.1.va ua.1.x5 ub.1.xo uc.1.1cn ud.1.xo ue.1.12q uf.1.xm ug.1.1g2 " +
  "uh.1.1hl ui.1.147 uj.1.18x uk.1.xj ul.1.v8 um.1.1bw un.1.y8 uo.2.z0 uq.1.zk ur.1.tw us.1.v8 ut.1.tn uu.3.ft " +
  "ux.1.1fc uy.1.1f4 uz.1.113 v0.1.yd v1.1.10z v2.1.xo v3.1.117 v4.1.1h4 v5.1.1bn v6.1.17u v7.1.128 v8.1.1hm " +
  "v9.1.16m va.1.1e1 vb.1.18k vc.1.1tz vd.1.1kz ve.1.18s vf.1.yt vg.1.1mf vh.1.1aw vi.1.107 vj.1.ur vk.1.1cq " +
  "vl.1.1dv vm.1.18s vn.1.yt vo.1.18g vp.1.11u vq.1.18g vr.1.11u vs.1.1kg vt.1.1fg vu.1.1i8 vv.1.175 vw.1.1v4 " +
  "vx.1.1mh vy.1.1h4 vz.1.1bn w0.1.13q w1.1.va w2.1.sl w3.5.0 w8.2.ns wa.1.17y wb.1.12i wc.1.131 wd.1.xj " +
  "we.1.yb wf.1.104 wg.1.yp wh.1.tw wi.1.12e wj.1.xl wk.1.zi wl.1.u5 wm.1.1pa wn.1.1f9 wo.1.10h wp.1.u9 " +
  "wq.1.14e wr.1.yd ws.1.14e wt.1.yd wu.1.14e wv.1.yd ww.1.1cq wx.1.1bb wy.1.16s wz.1.11l x0.1.1lp x1.1.1dw " +
  "x2.1.1pi x3.1.1g3 x4.1.1dy x5.1.13f x6.1.13q x7.1.va x8.1.yr x9.1.x5 xa.1.yr xb.1.xo xc.1.yr xd.1.xo " +
  "xe.1.12z xf.1.xo xg.1.1h5 xh.1.19w xi.1.130 xj.1.xm xk.1.130 xl.1.xm xm.1.130 xn.1.102 xo.1.1hj xp.1.15f " +
  "xq.1.1hj xr.1.15f xs.1.gs xt.1.1pa xu.1.1f9 xv.1.11b xw.1.yd xx.1.185 xy.1.125 xz.1.16s y0.1.11l y1.1.186 " +
  "y2.1.12q y3.1.130 y4.1.xm y5.1.1ei y6.1.182 y7.1.ft y8.1.12x y9.1.yv ya.1.12x yb.1.yv yc.1.1jf yd.1.1jv " +
  "ye.1.zy yf.1.z0 yg.1.18s yh.1.z0 yi.1.18s yj.1.z0 yk.1.1pa yl.1.1f9 ym.1.10h yn.1.u9 yo.1.11w yp.1.wv " +
  "yq.1.16k yr.1.10z ys.1.16k yt.1.10z yu.1.18s yv.1.yt yw.1.18s yx.1.yt yy.1.18s yz.1.yt z0.1.13q z1.1.v8 " +
  "z2.1.yo z3.1.xo z4.1.yo z5.1.xo z6.1.yo z7.1.xo z8.1.130 z9.1.xm za.1.yp zb.1.tw zc.1.1e7 zd.1.18x ze.1.12e " +
  "zf.1.xl zg.1.12z zh.1.xo zi.1.12z zj.1.xo zk.1.131 zl.1.xj zm.1.1l8 zn.1.1f1 zo.1.1jg zp.1.1dg zq.1.12m " +
  "zr.1.xh zs.1.1oz zt.1.1ig zu.1.1rb zv.1.1j1 zw.1.183 zx.1.11j zy.1.17z zz.1.14g 100.1.yy 101.1.ur 102.1.16s " +
  "103.1.10d 104.1.1ui 105.1.1kj 106.1.1ev 107.1.1d6 108.1.1mp 109.1.1k3 10a.1.18s 10b.1.104 10c.1.1k9 " +
  "10d.1.1aj 10e.1.14e 10f.1.yd 10g.1.1ph 10h.1.1fi 10i.1.1pi 10j.1.1fw 10k.1.194 10l.1.12u 10x.1.17l 10y.1.15n " +
  "10z.2.16v 111.1.15n 112.1.17x 113.1.10f 114.1.15n 115.1.1cw 116.1.16v 117.1.13b 118.1.uc 119.1.1gg 11a.1.1d4 " +
  "11b.1.15n 11c.1.14q 11d.1.17k 11e.1.16v 11f.1.17n 11g.1.191 11h.1.15e 11i.1.15h 11j.1.173 11k.1.15n " +
  "11l.1.14k 11m.1.19j 11n.1.17p 11o.1.191 11p.1.15n 11q.1.16v 11r.1.144 11s.1.13h 11t.1.16b 11u.1.ul 11v.1.1a4 " +
  "11w.1.172 11x.1.18s 11y.1.18y 121.1.hh 122.1.i3 123.1.dc 124.1.kk 125.1.dj 126.1.n2 127.1.sg 129.1.1jf " +
  "12a.1.102 12b.1.11f 12c.1.11q 12d.1.102 12e.1.104 12f.1.ta 12g.1.102 12h.1.160 12i.1.11f 12j.1.102 12k.1.fg " +
  "12l.1.1jr 12m.1.zf 12n.2.102 12p.1.yl 12q.1.103 12r.1.zs 12s.1.102 12t.1.fg 12u.1.102 12v.1.sd 12w.1.102 " +
  "12x.1.n0 12y.1.1jf 12z.1.vv 130.1.10w 131.2.102 133.1.1je 134.1.102 135.1.101 136.1.oq 137.1.1je 138.1.107 " +
  "139.1.yo 13a.1.19t 13b.1.1a6 13d.1.j6 13e.1.kj 14g.e.0 14u.1.kj 14v.1.0 14w.1.gs 14x.2.0 14z.1.gs 152.1.p4 " +
  "153.1.0 15c.1.121 15d.1.ww 15e.1.ng 15f.1.v2 15g.1.116 15h.1.fi 15i.1.jp 15j.1.116 15k.1.10w 15l.1.cq " +
  "15m.1.uk 15n.1.u3 15o.1.wc 15p.1.11r 15q.1.12n 15r.1.fi 15s.1.ms 15t.1.10x 15u.1.zm 15v.1.10e 15w.1.zj " +
  "15x.1.up 15y.1.xr 15z.1.14d 160.1.w4 161.1.14b 162.1.11e 168.1.qs 169.1.o2 16a.1.it 16b.1.nn 16c.1.10o " +
  "16u.2.109 16x.1.172 16y.1.1jk 170.1.id 179.1.0 17f.1.i3 17j.1.u7 17l.1.qr 17m.2.ft 17o.1.rh 17p.1.ft " +
  "17q.1.18j 17r.1.ft 17s.1.1hk 17t.1.tt 17u.2.1hk 17w.3.10q 17z.2.pc 181.2.rh 183.2.1xg 185.2.1ws 187.2.1gm " +
  "189.2.xy 18g.1.go 18h.1.1mz 18i.1.185 18j.1.1aw 18k.1.15c 18l.1.z8 18m.1.15s 18n.1.tt 18o.1.rh 18p.2.18j " +
  "18r.b.0 193.1.0 196.1.sg 19c.b.uk 19n.1.ih 19o.1.i3 19p.1.v0 19q.1.1hk 19r.1.185 19s.1.0 19w.1.gm 1a1.8.1hk " +
  "1a9.7.10q 1ag.9.pc 1ap.2.rh 1ar.1.sc 1as.1.u5 1at.1.yq 1au.1.u5 1av.3.rh 1ay.3.1xg 1b1.2.1ws 1b3.1.1gm " +
  "1b4.1.xy 1b5.6.1mz 1bb.2.185 1bd.1.1ex 1be.1.1ny 1bf.1.1ex 1bg.3.1aw 1bj.6.1ex 1bp.4.15c 1bt.5.15s 1by.1.13q " +
  "1bz.1.10q 1c6.3.rh 1cb.1.rh 1cc.1.18j 1ce.1.18j 1cg.1.18j 1cl.1.tt 1dc.a.uk 6bk.1.sg 6bl.1.1kw 6bm.1.sg " +
  "6bn.1.1kw 6bo.1.ir 6bp.1.e8 6bq.1.9i 6br.1.107 6bs.1.i3 6bt.1.bd 6bu.1.5o 6bv.5.0 6c0.2.kj 6c2.1.107 " +
  "6c3.1.sg 6c4.2.1kw 6c6.2.sg 6c8.4.i3 6cc.4.th 6cg.2.sg 6ci.2.xk 6ck.1.j1 6cl.1.11z 6cm.1.1kw 6cn.1.i3 " +
  "6co.7.0 6cv.1.bd 6cw.1.24c 6cx.1.2qq 6cy.1.cx 6cz.1.l9 6d0.1.tl 6d1.1.cx 6d2.1.l9 6d3.1.tl 6d4.1.ja 6d5.2.mr " +
  "6d7.1.1bo 6d8.1.rm 6d9.1.u7 6da.1.sg 6db.2.19q 6dd.1.e8 6de.1.1kw 6df.1.sg 6dg.1.9i 6dh.2.m7 6dj.1.1gg " +
  "6dk.2.15p 6dm.1.sa 6dn.1.107 6do.3.sg 6dr.1.j6 6ds.1.19q 6dt.1.sg 6du.1.pl 6dv.1.1kw 6dw.1.19q 6dx.1.1bo " +
  "6dy.1.xc 6dz.1.11q 6e0.2.1bo 6e2.1.i3 6e3.1.19d 6e4.1.1bo 6e5.2.i3 6e7.1.cn 6e8.5.0 6ei.6.0 6eo.1.mt " +
  "6ep.1.a6 6es.6.mt 6ey.3.u1 6f1.2.dz 6f3.1.mo 6f4.a.mt 6fe.3.u1 6fh.2.dz 6fk.1.ma 6fl.1.nq 6fm.1.nj 6fn.1.p9 " +
  "6fo.1.nq 6fp.1.n0 6fq.1.o8 6fr.1.9g 6fs.1.zg 6ft.1.mo 6fu.1.od 6fv.1.l8 6fw.1.gs 6g0.1.1dw 6g1.4.107 " +
  "6g5.1.1jf 6g6.1.107 6g7.1.20e 6g8.1.1p3 6g9.1.1k9 6ga.1.18m 6gb.4.107 6gf.1.20e 6gg.4.107 6gk.1.181 " +
  "6gl.1.107 6go.3.107 6gt.1.107 6hc.2.0 6hi.2.0 6hn.2.0 6ht.1.0 6io.2.1ly 6iq.1.13q 6ir.1.1rw 6is.1.10j " +
  "6it.1.1ly 6iu.1.1op 6iv.1.yy 6iw.1.13q 6ix.1.1i5 6iz.1.1k8 6j0.1.16x 6j1.1.1cc 6j2.2.102 6j4.1.qq 6j5.1.13o " +
  "6j6.1.14z 6j7.1.ni 6j8.1.1aj 6j9.1.19k 6ja.1.1n6 6jb.1.1kw 6jc.1.13o 6jd.1.13w 6je.1.18s 6jf.1.19e 6jg.1.1ab " +
  "6jh.1.192 6ji.1.1f0 6jj.1.12x 6jk.1.1m0 6jl.1.1p4 6jm.1.1kw 6jn.1.12x 6jo.1.16d 6jp.1.wv 6jq.2.17h 6js.1.z2 " +
  "6jt.1.j9 6ju.1.11b 6jv.1.12x 6jw.1.18q 6jx.1.140 6jy.1.1cm 6jz.1.xo 6k0.1.yg 6k1.1.18q 6k2.1.wq 6k3.1.1ou " +
  "6k4.1.qa 6k5.1.16e 6k6.1.12c 6k7.1.qi 6k8.1.10o 6k9.1.lm 6ka.1.1go 6kb.1.1vx 6kc.1.13y 6kd.1.15e 6ke.1.118 " +
  "6kf.1.1ca 6kg.1.1a4 6kh.1.183 6ki.2.vp 6kk.1.yr 6kl.1.1al 6km.1.14a 6kn.1.z0 6ko.2.jz 6kr.1.18d 6ku.1.ty " +
  "6kw.2.1j5 6ky.1.25y 6kz.c.1j5 6lb.1.wb 6lc.1.gs 6ld.1.s0 6le.1.138 6lf.1.1gi 6lg.1.12x 6lh.1.1gh 6li.1.1rp " +
  "6lj.1.22x 6lk.1.1g7 6ll.1.12z 6lm.1.1h3 6ln.1.1sd 6lo.1.vp 6lp.1.13q 6lq.1.17t 6lr.1.1d3 6ls.1.ft 6lt.1.q1 " +
  "6lu.1.109 6lv.1.1a6 6lw.1.xo 6lx.1.1a5 6ly.1.1kd 6lz.1.1ul 6m0.1.1al 6m1.1.xo 6m2.1.1as 6m3.1.1l0 6m4.1.ft " +
  "6m5.1.va 6m6.1.104 6m7.1.1jf 6m8.1.1yu 6m9.1.17t 6ma.1.1yu 6mb.1.140 6mc.1.v9 6md.1.13q 6mh.1.1j5 6mo.34.1bo " +
  "6ps.1.12x 6pt.1.107 6pu.1.tf 6pv.2.zy 6px.1.1dk 6py.2.122 6q0.2.1dk 6q2.1.14u 6q3.2.1dk 6q5.1.14u 6q6.1.107 " +
  "6q7.2.172 6q9.1.12c 6qa.3.1bo 6qd.1.j6 6qe.1.108 6qf.1.1bo 6qg.2.zm 6qi.3.109 6ql.1.14n 6qm.1.1be 6qn.1.1bo " +
  "6qo.2.1f0 6qq.1.1bo 6qr.4.sg 6qv.4.15n 6qz.1.tn 6r0.1.18w 6r1.1.1o5 6r2.1.tn 6r3.1.18w 6r4.1.1o5 6r5.3.tn " +
  "6r8.2.107 6ra.1.et 6rb.1.107 6rc.8.1bo 6rk.1.lc 6rl.h.1bo 6s2.2.1bq 6s4.2.1kw 6s6.k.1bo 6sq.2.1nk 6ss.1.qe " +
  "6st.v.1bo 6to.3.15n 6tr.4.1bo 6tv.2.18e 6tx.d.1bo 6ua.4.1dk 6ue.2.tm 6ug.8.1dk 6uo.6.1bo 6uu.2.1kw 6uw.2.1bo " +
  "6uy.1.tm 6uz.3.15n 6v2.2.1bo 6v4.4.1ao 6v8.1.zm 6v9.1.i3 6va.1.zm 6vb.1.1bo 6vc.5.1kw 6vh.1.1bo 6vi.2.15o " +
  "6vk.8.1bo 6vs.2.28x 6vu.k.1bo 6we.5.1kw 6wj.1.1dk 6wk.1.14u 6wl.2.1dk 6wn.1.14u 6wo.2.1dk 6wq.1.1kw " +
  "6wr.1.1dk 6ws.1.14u 6wt.1.1dk 6wu.1.14u 6wv.1.1dk";

export const BOLD_ADVANCES =
  "w.1.jt x.1.py y.1.tn z.1.1bo 10.1.13l 11.1.1l0 12.1.1dm 13.1.hf 14.2.q0 16.1.tr 17.1.1bo 18.1.lm 19.1.nm " +
  "1a.1.lm 1b.1.ks 1c.a.13l 1m.2.mr 1o.3.1bo 1r.1.x0 1s.1.1kw 1t.1.181 1u.1.17d 1v.1.15r 1w.1.1b8 1x.2.12v " +
  "1z.1.1ap 20.1.1bm 21.2.l6 23.1.183 24.1.109 25.1.1km 26.1.1bm 27.1.1cd 28.1.15p 29.1.1cd 2a.1.17t 2b.1.14z " +
  "2c.1.12t 2d.1.1a7 2e.1.181 2f.1.1qr 2g.1.17v 2h.1.157 2i.1.159 2j.1.q0 2k.1.ks 2l.1.q0 2m.1.1bo 2n.2.sg " +
  "2p.1.12e 2q.1.14q 2r.1.xq 2s.1.14q 2t.1.12l 2u.1.or 2v.1.14q 2w.1.14i 2x.2.ji 2z.1.11u 30.1.ji 31.1.1na " +
  "32.1.14i 33.1.133 34.2.14q 36.1.s2 37.1.xv 38.1.r7 39.1.14i 3a.1.113 3b.1.1gk 3c.1.10p 3d.1.113 3e.1.x4 " +
  "3f.1.14i 3g.1.ks 3h.1.14i 3i.1.1bo 4g.1.jt 4h.1.py 4i.2.13l 4k.1.107 4l.1.13l 4m.1.ks 4n.2.sg 4p.1.1kw " +
  "4q.1.w3 4r.1.10r 4s.1.1bo 4t.1.nm 4u.1.1kw 4v.2.sg 4x.1.1bo 4y.2.ox 50.1.sg 51.1.15v 52.1.107 53.1.lm " +
  "54.1.sg 55.1.ox 56.1.w3 57.1.10r 58.3.1mw 5b.1.x0 5c.6.181 5i.1.1pq 5j.1.15r 5k.4.12v 5o.4.l6 5s.1.1bo " +
  "5t.1.1bm 5u.5.1cd 5z.1.1bo 60.1.1cd 61.4.1a7 65.1.157 66.1.15z 67.1.14x 68.6.12e 6e.1.1nm 6f.1.xq 6g.4.12l " +
  "6k.4.ji 6o.1.133 6p.1.14i 6q.5.133 6v.1.1bo 6w.1.133 6x.4.14i 71.1.113 72.1.14q 73.1.113 74.1.181 75.1.12e " +
  "76.1.181 77.1.12e 78.1.181 79.1.12e 7a.1.15r 7b.1.xq 7c.1.15r 7d.1.xq 7e.1.15r 7f.1.xq 7g.1.15r 7h.1.xq " +
  "7i.1.1b8 7j.1.14q 7k.1.1bo 7l.1.14q 7m.1.12v 7n.1.12l 7o.1.12v 7p.1.12l 7q.1.12v 7r.1.12l 7s.1.12v 7t.1.12l " +
  "7u.1.12v 7v.1.12l 7w.1.1ap 7x.1.14q 7y.1.1ap 7z.1.14q 80.1.1ap 81.1.14q 82.1.1ap 83.1.14q 84.1.1bm 85.1.14i " +
  "86.1.1je 87.1.18y 88.1.l6 89.1.ji 8a.1.l6 8b.1.ji 8c.1.l6 8d.1.ji 8e.1.l6 8f.1.ji 8g.1.l6 8h.1.ji 8i.1.16c " +
  "8j.1.130 8k.1.l6 8l.1.ji 8m.1.183 8n.2.11u 8p.1.109 8q.1.ji 8r.1.109 8s.1.ji 8t.1.109 8u.1.ra 8v.1.109 " +
  "8w.1.vo 8x.1.10j 8y.1.l4 8z.1.1bm 90.1.14i 91.1.1bm 92.1.14i 93.1.1bm 94.1.14i 95.1.1jx 96.1.1bm 97.1.14i " +
  "98.1.1cd 99.1.133 9a.1.1cd 9b.1.133 9c.1.1cd 9d.1.133 9e.1.1ue 9f.1.1q9 9g.1.17t 9h.1.s2 9i.1.17t 9j.1.s2 " +
  "9k.1.17t 9l.1.s2 9m.1.14z 9n.1.xv 9o.1.14z 9p.1.xv 9q.1.14z 9r.1.xv 9s.1.14z 9t.1.xv 9u.1.12t 9v.1.r7 " +
  "9w.1.12t 9x.1.r7 9y.1.12t 9z.1.r7 a0.1.1a7 a1.1.14i a2.1.1a7 a3.1.14i a4.1.1a7 a5.1.14i a6.1.1a7 a7.1.14i " +
  "a8.1.1a7 a9.1.14i aa.1.1a7 ab.1.14i ac.1.1qr ad.1.1gk ae.1.157 af.1.113 ag.1.157 ah.1.159 ai.1.x4 aj.1.159 " +
  "ak.1.x4 al.1.159 am.1.x4 an.1.or ao.1.14q ap.1.1a5 aq.1.17d ar.1.14q as.1.17d at.1.14q au.2.15r aw.1.xq " +
  "ax.1.1bo ay.1.1e0 az.1.172 b0.1.14q b1.1.134 b2.1.12v b3.1.1cb b4.1.13l b5.1.12v b6.1.or b7.1.1ap b8.1.194 " +
  "b9.1.1ng ba.1.os bb.1.m5 bc.1.183 bd.1.11u be.1.ki bf.1.xo bg.1.1na bh.1.1bm bi.1.14i bj.1.1cd bk.1.1dp " +
  "bl.1.133 bm.1.1pl bn.1.1fw bo.1.18h bp.1.14q bq.1.17t br.1.14z bs.1.xv bt.1.12v bu.1.ve bv.1.r7 bw.1.147 " +
  "bx.1.r7 by.1.12t bz.1.1bj c0.1.14i c1.1.1cd c2.1.1aa c3.1.19d c4.1.18a c5.1.159 c6.1.x4 c7.2.17y c9.1.10g " +
  "ca.1.x4 cb.1.13l cc.1.17y cd.1.10g ce.1.wl cf.1.14q cg.1.l6 ch.1.11h ci.1.uy cj.1.l6 ck.1.2gh cl.1.28c " +
  "cm.1.21u cn.1.1lf co.1.1jr cp.1.130 cq.1.1ws cr.1.1v4 cs.1.1o0 ct.1.181 cu.1.12e cv.1.l6 cw.1.ji cx.1.1cd " +
  "cy.1.133 cz.1.1a7 d0.1.14i d1.1.1a7 d2.1.14i d3.1.1a7 d4.1.14i d5.1.1a7 d6.1.14i d7.1.1a7 d8.1.14i d9.1.12l " +
  "da.1.181 db.1.12e dc.1.181 dd.1.12e de.1.1pq df.1.1nm dg.1.1ap dh.1.14q di.1.1ap dj.1.14q dk.1.183 dl.1.11u " +
  "dm.1.1cd dn.1.133 do.1.1cd dp.1.133 dq.1.17y dr.1.x4 ds.1.ji dt.1.2gh du.1.28c dv.1.21u dw.1.1ap dx.1.14q " +
  "dy.1.21b dz.1.18s e0.1.1bm e1.1.14i e2.1.181 e3.1.12e e4.1.1pq e5.1.1nm e6.1.1cd e7.1.133 e8.1.181 e9.1.12e " +
  "ea.1.181 eb.1.12e ec.1.12v ed.1.12l ee.1.12v ef.1.12l eg.1.l6 eh.1.ji ei.1.l6 ej.1.ji ek.1.1cd el.1.133 " +
  "em.1.1cd en.1.133 eo.1.17t ep.1.s2 eq.1.17t er.1.s2 es.1.1a7 et.1.14i eu.1.1a7 ev.1.14i ew.1.14z ex.1.xv " +
  "ey.1.12t ez.1.r7 f0.1.13a f1.1.yk f2.1.1bm f3.1.14i f4.1.1bm f5.1.1d7 f6.1.1a1 f7.1.11h f8.1.159 f9.1.x4 " +
  "fa.1.181 fb.1.12e fc.1.12v fd.1.12l fe.1.1cd ff.1.133 fg.1.1cd fh.1.133 fi.1.1cd fj.1.133 fk.1.1cd fl.1.133 " +
  "fm.1.157 fn.1.113 fo.1.rz fp.1.1db fq.1.t4 fr.1.ji fs.2.1pw fu.1.181 fv.1.15r fw.1.xq fx.1.109 fy.1.12t " +
  "fz.1.xv g0.1.x4 g1.1.18h g2.1.yy g3.1.17d g4.1.1a7 g5.1.181 g6.1.12v g7.1.12l g8.1.l6 g9.1.ji ga.1.1cy " +
  "gb.1.190 gc.1.17t gd.1.s2 ge.1.157 gf.1.113 gg.1.12e gh.3.14q gk.2.xq gm.1.14s gn.1.192 go.2.12l gq.1.1du " +
  "gr.1.vo gs.1.v0 gt.1.1ad gu.1.15m gv.1.ji gw.1.192 gx.1.14q gy.1.zp gz.1.10m h0.1.105 h1.3.14i h4.1.v1 " +
  "h5.1.p2 h6.1.v1 h7.1.vs h8.1.13g h9.1.ji ha.1.1bv hb.3.1na he.1.14i hf.1.194 hg.1.147 hh.1.133 hi.1.1fp " +
  "hj.1.12r hk.1.19b hl.2.um hn.1.10z ho.2.s2 hq.2.xw hs.2.10j hu.1.xv hv.1.nm hw.1.or hx.1.yf hy.1.ve hz.2.r7 " +
  "i1.1.1gd i2.1.17y i3.1.124 i4.1.113 i5.1.1gk i6.1.113 i7.1.157 i8.1.13h i9.1.12w ia.2.10g ic.4.wl ig.1.1cd " +
  "ih.1.100 ii.1.15m ij.1.12y ik.1.13b il.1.ji im.1.15n in.1.uo io.1.192 ip.2.wl ir.1.1tr is.1.1x3 it.1.1tp " +
  "iu.1.1jh iv.1.17q iw.1.1gv ix.1.1me iy.1.1d2 iz.1.18d j0.1.xm j1.1.nm j2.1.12i j3.1.18w j4.2.px j6.1.ch " +
  "j7.3.hy ja.1.nd jb.1.xm jc.1.nq jd.1.h6 je.1.tn jf.3.lm ji.2.ku jk.2.ik jm.6.sg js.1.hf jt.3.sg jw.1.hf " +
  "jx.3.sg k0.2.j6 k2.2.ku k4.2.sg k6.1.no k7.1.io k8.6.sg ke.1.jy kf.1.sg kg.1.nf kh.1.ch ki.1.lo kj.1.nh " +
  "kk.1.ik kl.5.sg ks.2.sg ku.1.11e kz.1.sg l3.1.sg lc.28.0 nl.3.0 nr.2.0 nu.1.0 nw.7.0 og.1.13p oh.1.w5 " +
  "oi.1.1m5 oj.1.1bk ok.2.h6 om.1.1bm on.1.13v oq.1.sg or.1.xq os.1.va ot.1.v9 ou.1.mr ov.1.l6 p0.1.p4 p1.1.sg " +
  "p2.1.19d p3.1.lm p4.1.1c4 p5.1.1le p6.1.w2 p8.1.1eo pa.1.1jr pb.1.1ev pc.1.m6 pd.1.181 pe.1.17d pf.1.109 " +
  "pg.1.181 ph.1.12v pi.1.159 pj.1.1bm pk.1.1cd pl.1.l6 pm.1.183 pn.1.181 po.1.1km pp.1.1bm pq.1.zy pr.1.1cd " +
  "ps.1.1bm pt.1.15p pv.1.12v pw.1.12t px.1.157 py.1.1cd pz.1.17v q0.1.1cc q1.1.1cd q2.1.l6 q3.1.157 q4.1.133 " +
  "q5.1.vo q6.1.14i q7.1.m6 q8.1.12f q9.1.133 qa.1.14q qb.1.12r qc.1.133 qd.1.vo qe.1.xm qf.1.14i qg.1.133 " +
  "qh.1.m6 qi.1.14f qj.1.100 qk.1.15v ql.1.12r qm.1.xm qn.1.133 qo.1.190 qp.1.14q qq.1.xq qr.1.18b qs.1.10b " +
  "qt.1.12f qu.1.18i qv.1.10p qw.1.196 qx.1.1dg qy.1.m6 qz.1.12f r0.1.133 r1.1.12f r2.1.1dg r3.1.183 r4.1.111 " +
  "r5.1.11l r6.1.16g r7.1.1ju r8.1.16g r9.1.19b ra.1.1dg rb.1.16b rc.1.1cd rd.1.133 re.1.15r rf.1.xq rg.1.12v " +
  "rh.1.s3 ri.1.13y rj.1.11j rk.1.1ga rl.1.zo rm.1.1q6 rn.1.1bn ro.1.1bc rp.1.14q rq.1.1gs rr.1.16b rs.1.15q " +
  "rt.1.110 ru.1.18v rv.1.126 rw.1.16s rx.1.14q ry.1.12t rz.1.xk s0.1.16b s1.1.14q s2.1.xq s3.1.ji s4.1.1cd " +
  "s5.1.10o s6.1.10n s7.1.15z s8.1.14q s9.1.15r sa.1.1km sb.1.15n sc.1.14q sd.1.13q se.1.15r sf.1.13q sg.2.12v " +
  "si.1.1dz sj.1.109 sk.1.15r sl.1.14z sm.3.l6 sp.1.1to sq.1.1sa sr.1.1dz ss.1.1ai st.1.1bm su.1.17v sv.1.1bm " +
  "sw.1.181 sx.2.17d sz.1.109 t0.1.1eo t1.1.12v t2.1.1xn t3.1.14f t4.2.1bm t6.1.1ai t7.1.1b9 t8.1.1km t9.1.1bm " +
  "ta.1.1cd tb.1.1bm tc.1.15p td.1.15r te.1.12t tf.1.17v tg.1.1kf th.1.17v ti.1.1gs tj.1.19z tk.1.1ya tl.1.23f " +
  "tm.1.1hg tn.1.1my to.1.17d tp.1.15r tq.1.1us tr.1.17t ts.1.12e tt.1.13q tu.1.100 tv.1.tq tw.1.19y tx.1.12l " +
  "ty.1.1km tz.1.x2 u0.2.13v u2.1.12m u3.1.15o u4.1.1ai u5.1.13b u6.1.133 u7.1.13b u8.1.14q u9.1.xq ua.1.wz " +
  "ub.1.113 uc.1.1kg ud.1.10p ue.1.166 uf.1.132 ug.1.1of uh.1.1qw ui.1.16r uj.1.1fg uk.1.zz ul.1.xq um.1.1jb " +
  "un.1.10j uo.2.12l uq.1.14m ur.1.tq us.1.xq ut.1.xv uu.3.ji ux.1.1ke uy.1.1ie uz.1.15s v0.1.12m v1.1.13v " +
  "v2.1.113 v3.1.13b v4.1.1q6 v5.1.1dg v6.1.1bt v7.1.15v v8.1.1ll v9.1.1br va.1.1kg vb.1.1bc vc.1.25a vd.1.1rs " +
  "ve.1.1cd vf.1.133 vg.1.1yb vh.1.1lb vi.1.13l vj.1.vo vk.1.1p5 vl.1.1od vm.1.1cd vn.1.133 vo.1.1cd vp.1.13k " +
  "vq.1.1cd vr.1.13k vs.1.1tc vt.1.1nd vu.1.1p4 vv.1.1d3 vw.1.27y vx.1.1uq vy.1.1q6 vz.1.1dg w0.1.15r w1.1.xq " +
  "w2.1.114 w3.5.0 w8.2.ns wa.1.1ig wb.1.19w wc.1.17d wd.1.ys we.1.15p wf.1.14q wg.1.109 wh.1.tq wi.1.11v " +
  "wj.1.uw wk.1.19z wl.1.122 wm.1.1xn wn.1.1km wo.1.14f wp.1.x2 wq.1.183 wr.1.12m ws.1.1ai wt.1.12m wu.1.1ai " +
  "wv.1.12m ww.1.1lr wx.1.1b0 wy.1.1ie wz.1.19y x0.1.1qq x1.1.1dq x2.1.20g x3.1.1lv x4.1.1i5 x5.1.1ct x6.1.15r " +
  "x7.1.xq x8.1.12t x9.1.wz xa.1.157 xb.1.113 xc.1.157 xd.1.113 xe.1.17v xf.1.10p xg.1.1ra xh.1.1kx xi.1.19z " +
  "xj.1.132 xk.1.19z xl.1.132 xm.1.19z xn.1.14i xo.1.1me xp.1.1a2 xq.1.1me xr.1.1a2 xs.1.l6 xt.1.1xn xu.1.1km " +
  "xv.1.183 xw.1.zu xx.1.1i3 xy.1.19t xz.1.1bm y0.1.13b y1.1.1ig y2.1.19w y3.1.19z y4.1.132 y5.1.1rf y6.1.1h2 " +
  "y7.1.ji y8.1.181 y9.1.12e ya.1.181 yb.1.12e yc.1.1pq yd.1.1nm ye.1.12v yf.1.12l yg.1.1cb yh.1.12l yi.1.1cb " +
  "yj.1.12l yk.1.1xn yl.1.1km ym.1.14f yn.1.x2 yo.1.17y yp.1.10g yq.1.1bm yr.1.13v ys.1.1bm yt.1.13v yu.1.1cd " +
  "yv.1.133 yw.1.1cd yx.1.133 yy.1.1cd yz.1.133 z0.1.15r z1.1.xq z2.1.17v z3.1.113 z4.1.17v z5.1.113 z6.1.17v " +
  "z7.1.113 z8.1.19z z9.1.132 za.1.109 zb.1.tq zc.1.1my zd.1.1fg ze.1.11v zf.1.uw zg.1.17v zh.1.10p zi.1.17v " +
  "zj.1.10p zk.1.17d zl.1.yl zm.1.1ty zn.1.1et zo.1.1ro zp.1.1gc zq.1.1b4 zr.1.13f zs.1.1yn zt.1.1lu zu.1.21b " +
  "zv.1.1ln zw.1.1br zx.1.10b zy.1.1hd zz.1.19o 100.1.13l 101.1.vo 102.1.1b9 103.1.15o 104.1.215 105.1.1or " +
  "106.1.1om 107.1.1jq 108.1.1pj 109.1.1ln 10a.1.1cd 10b.1.14q 10c.1.1qr 10d.1.1gk 10e.1.1ai 10f.1.12m " +
  "10g.1.203 10h.1.1o8 10i.1.20g 10j.1.1lv 10k.1.1ig 10l.1.19w 10x.1.1aa 10y.1.15h 10z.1.15f 110.1.15m " +
  "111.1.15h 112.1.15q 113.1.113 114.1.14z 115.1.1fe 116.1.15f 117.1.11v 118.1.vq 119.1.1ip 11a.1.18t 11b.1.14l " +
  "11c.1.111 11d.1.15j 11e.1.14o 11f.1.142 11g.1.18d 11h.1.137 11i.1.14o 11j.1.14a 11k.1.15l 11l.1.12j " +
  "11m.1.1dc 11n.1.14g 11o.1.18d 11p.1.15l 11q.1.14o 11r.1.13g 11s.1.11v 11t.1.13p 11u.1.ws 11v.1.1be 11w.1.13p " +
  "11x.1.17e 11y.1.1co 121.1.ir 122.1.jg 123.1.hi 124.1.l9 125.1.hu 126.1.q9 127.1.qn 129.1.1he 12a.1.10i " +
  "12b.1.142 12c.1.149 12d.1.10i 12e.1.10m 12f.1.w5 12g.1.10i 12h.1.170 12i.1.142 12j.1.10k 12k.1.hm 12l.1.1k0 " +
  "12m.1.10a 12n.2.10k 12p.1.yb 12q.1.10k 12r.1.10i 12s.1.10k 12t.1.hk 12u.1.10k 12v.1.ro 12w.1.10k 12x.1.ku " +
  "12y.1.1he 12z.1.wl 130.1.11v 131.2.10k 133.1.1h5 134.1.10k 135.1.10l 136.1.r9 137.1.1h5 138.1.10v 139.1.za " +
  "13a.1.1aa 13b.1.1a7 13d.1.kh 13e.1.l9 14g.e.0 14u.1.nm 14v.1.0 14w.1.l6 14x.2.0 14z.1.l6 152.1.sa 153.1.0 " +
  "15c.1.15f 15d.1.yp 15e.1.pf 15f.1.xg 15g.1.133 15h.1.jj 15i.1.ms 15j.1.133 15k.1.12n 15l.1.gr 15m.1.wv " +
  "15n.1.w8 15o.1.yf 15p.1.13m 15q.1.156 15r.1.jj 15s.1.ps 15t.1.12o 15u.1.11w 15v.1.12e 15w.1.11f 15x.1.11m " +
  "15y.1.115 15z.1.15w 160.1.y9 161.1.175 162.1.12v 168.1.11s 169.1.w9 16a.1.tj 16b.1.p9 16c.1.14e 16u.2.11y " +
  "16x.1.1ea 16y.1.1tu 170.1.lm 179.1.0 17f.1.mr 17j.1.x0 17l.1.t3 17m.2.ji 17o.1.zd 17p.1.ji 17q.1.1g5 " +
  "17r.1.ji 17s.1.1l6 17t.1.xl 17u.2.1l6 17w.3.150 17z.2.t7 181.2.wr 183.2.26i 185.2.24j 187.2.1n3 189.2.12v " +
  "18g.1.jg 18h.1.1u3 18i.1.1ev 18j.1.1g5 18k.1.1dd 18l.1.15p 18m.1.1ck 18n.1.xl 18o.1.zd 18p.2.1g5 18r.b.0 " +
  "193.1.0 196.1.sg 19c.b.yq 19n.1.l9 19o.1.lm 19p.1.v0 19q.1.1l6 19r.1.1ev 19s.1.0 19w.1.gm 1a1.8.1l6 " +
  "1a9.7.150 1ag.9.pc 1ap.4.wr 1at.1.12r 1au.4.wr 1ay.3.26i 1b1.2.24j 1b3.1.1n3 1b4.1.12v 1b5.6.1u3 1bb.2.1ev " +
  "1bd.1.1m9 1be.1.20c 1bf.1.1m9 1bg.3.1g5 1bj.6.1m9 1bp.4.1dd 1bt.5.1ck 1by.1.1hc 1bz.1.150 1c6.3.zd 1cb.1.zd " +
  "1cc.1.1g5 1ce.1.1g5 1cg.1.1g5 1cl.1.xl 1dc.a.yq 6bk.1.sg 6bl.1.1kw 6bm.1.sg 6bn.1.1kw 6bo.1.ir 6bp.1.e8 " +
  "6bq.1.9i 6br.1.13l 6bs.1.lm 6bt.1.bd 6bu.1.5o 6bv.5.0 6c0.2.nm 6c2.1.13l 6c3.1.sg 6c4.2.1kw 6c6.2.sg " +
  "6c8.4.lm 6cc.4.11e 6cg.2.sg 6ci.2.10d 6ck.1.iy 6cl.1.11y 6cm.1.1kw 6cn.1.jt 6co.7.0 6cv.1.bd 6cw.1.29x " +
  "6cx.1.2zc 6cy.1.f0 6cz.1.pf 6d0.1.zu 6d1.1.f0 6d2.1.pf 6d3.1.zu 6d4.1.15p 6d5.2.ng 6d7.1.1jb 6d8.1.zo " +
  "6d9.1.x0 6da.1.sg 6db.2.1b4 6dd.1.iq 6de.1.1m7 6df.1.sg 6dg.1.9i 6dh.2.q0 6dj.1.1mm 6dk.2.1b5 6dm.1.t7 " +
  "6dn.1.107 6do.2.sg 6dq.1.tr 6dr.1.mr 6ds.1.1b4 6dt.1.tr 6du.1.vn 6dv.1.1kw 6dw.1.1b4 6dx.1.1bo 6dy.1.12w " +
  "6dz.1.1a9 6e0.2.1bo 6e2.1.lm 6e3.1.1dl 6e4.1.1bo 6e5.2.lm 6e7.1.cn 6e8.5.0 6ei.6.0 6eo.1.ox 6ep.1.ch " +
  "6es.6.ox 6ey.3.u1 6f1.2.ge 6f3.1.px 6f4.a.ox 6fe.3.u1 6fh.2.ge 6fk.1.q1 6fl.1.r9 6fm.1.rr 6fn.1.nh 6fo.1.r9 " +
  "6fp.1.px 6fq.1.rq 6fr.1.ch 6fs.1.11r 6ft.1.px 6fu.1.r9 6fv.1.lo 6fw.1.m2 6g0.1.1gv 6g1.4.13l 6g5.1.1na " +
  "6g6.1.13l 6g7.1.2ec 6g8.1.1wj 6g9.1.1qr 6ga.1.1fg 6gb.4.13l 6gf.1.276 6gg.4.13l 6gk.1.1cw 6gl.1.13l " +
  "6go.3.13l 6gt.1.13l 6hc.2.0 6hi.2.0 6hn.2.0 6ht.1.0 6io.1.1rp 6ip.1.1ul 6iq.1.15r 6ir.1.1ww 6is.1.1ez " +
  "6it.1.1q3 6iu.1.1t3 6iv.1.yy 6iw.1.13q 6ix.1.1pt 6iz.1.1p1 6j0.1.1fy 6j1.1.1ei 6j2.2.14i 6j4.1.xz 6j5.1.13o " +
  "6j6.1.1cq 6j7.1.qu 6j8.1.1jf 6j9.1.1bm 6ja.1.1wg 6jb.1.1kw 6jc.1.13o 6jd.1.16o 6je.1.1cd 6jf.1.1he 6jg.1.1ab " +
  "6jh.1.19l 6ji.1.1f0 6jj.1.14e 6jk.1.1m0 6jl.1.20v 6jm.1.1kw 6jn.1.16y 6jo.1.16x 6jp.1.wv 6jq.2.1cd 6js.1.17e " +
  "6jt.1.j9 6ju.1.183 6jv.1.181 6jw.1.1gs 6jx.1.1ak 6jy.1.1cm 6jz.1.107 6k0.1.15i 6k1.1.19y 6k2.1.12v 6k3.1.1vd " +
  "6k4.1.qg 6k5.1.196 6k6.1.15m 6k7.1.s3 6k8.1.12x 6k9.1.lm 6ka.1.1hs 6kb.1.24o 6kc.1.18x 6kd.1.15x 6ke.1.118 " +
  "6kf.1.1d3 6kg.1.1bs 6kh.1.183 6ki.1.vp 6kj.1.109 6kk.1.179 6kl.1.1b8 6km.1.14q 6kn.1.12l 6ko.2.ji 6kr.1.1dm " +
  "6ku.1.v5 6kw.2.1mw 6ky.1.2cd 6kz.c.1mw 6lb.1.z0 6lc.1.l6 6ld.1.11h 6le.1.1hs 6lf.1.1qi 6lg.1.181 6lh.1.1qj " +
  "6li.1.26u 6lj.1.2n5 6lk.1.1rr 6ll.1.17v 6lm.1.1rq 6ln.1.281 6lo.1.109 6lp.1.15r 6lq.1.1b8 6lr.1.1km 6ls.1.ji " +
  "6lt.1.yk 6lu.1.1dm 6lv.1.1jz 6lw.1.113 6lx.1.1iq 6ly.1.1xs 6lz.1.2cu 6m0.1.1j4 6m1.1.10p 6m2.1.1j4 6m3.1.1y6 " +
  "6m4.1.ji 6m5.1.xq 6m6.1.14q 6m7.1.1na 6m8.1.21b 6m9.1.1b8 6ma.1.21b 6mb.1.15r 6mc.1.xq 6md.1.15r 6mh.1.1mw " +
  "6mo.34.1bo 6ps.1.181 6pt.1.13l 6pu.1.uy 6pv.2.12v 6px.1.1cq 6py.2.13n 6q0.2.1f0 6q2.1.16o 6q3.2.1f0 " +
  "6q5.1.16o 6q6.1.107 6q7.2.18s 6q9.1.14u 6qa.2.1bo 6qc.1.13l 6qd.1.ks 6qe.1.13l 6qf.1.1bo 6qg.1.zm 6qh.1.lm " +
  "6qi.3.11y 6ql.1.14i 6qm.1.1be 6qn.1.1bo 6qo.2.1f0 6qq.1.1bo 6qr.4.sg 6qv.4.1a7 6qz.1.yp 6r0.1.1gu 6r1.1.21o " +
  "6r2.1.w0 6r3.1.1jk 6r4.1.22o 6r5.3.w0 6r8.2.13l 6ra.1.gq 6rb.1.13l 6rc.8.1bo 6rk.1.lc 6rl.j.1bo 6s4.2.1og " +
  "6s6.i.1bo 6so.2.1bu 6sq.2.1nk 6ss.1.sg 6st.v.1bo 6to.3.1a7 6tr.4.1bo 6tv.2.19a 6tx.d.1bo 6ua.4.1g0 6ue.2.uv " +
  "6ug.8.1g0 6uo.6.1bo 6uu.2.1kw 6uw.2.1bo 6uy.1.uv 6uz.3.1a7 6v2.2.1bo 6v4.4.1by 6v8.1.zm 6v9.1.lm 6va.1.zm " +
  "6vb.1.1bo 6vc.5.1kw 6vh.1.1bo 6vi.2.1a6 6vk.8.1bo 6vs.2.28x 6vu.k.1bo 6we.4.1kw 6wi.1.1tv 6wj.1.1f0 " +
  "6wk.1.16o 6wl.2.1f0 6wn.1.16o 6wo.2.1f0 6wq.1.1tv 6wr.1.1f0 6ws.1.16o 6wt.1.1f0 6wu.1.16o 6wv.1.1f0";

const UNITS_PER_EM = 2048;
/** Width of emoji in em, slightly more than their height. */
const EMOJI_EM = 1.3;
/** Width in em of East Asian letters, which are as wide as high. */
const EAST_ASIAN_EM = 1;
/** Width in em of a letter missing in the tables. It is wider than most letters, so that text does not overflow. */
const MISSING_LETTER_EM = 0.85;

/** Width in em of the replacement for characters that XML cannot contain. */
const REPLACEMENT_EM = 1.05;

const UNPRINTABLE = /^[\p{Cc}\p{Cs}]$/u;
const ZERO_WIDTH = /^[\p{Cf}\p{Mn}\p{Me}]$/u;
const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier})$/u;
const EAST_ASIAN =
  /^(?:[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u;

interface FontOptions {
  readonly size: number;
  readonly weight?: "bold" | undefined;
}

/**
 * Returns the width of one line of text in DejaVu Sans, in pixels.
 * The fonts that replace it in browsers (Verdana, Segoe UI, Helvetica) are as wide or narrower, so text that fits here
 * fits there. Joined or shaped letters are counted separately, which never underestimates. Cost: O(letters).
 */
export function measureText(text: string, { size, weight }: FontOptions): number {
  const widths = weight === "bold" ? boldWidths : regularWidths;
  let em = 0;
  for (const letter of text) em += widths.getWidth(letter);
  return em * size;
}

/** Returns the text, or as much of its beginning as fits with an ellipsis; empty if not even the ellipsis fits. */
export function fitText(text: string, maxWidth: number, options: FontOptions): string {
  if (measureText(text, options) <= maxWidth) return text;
  const room = maxWidth - measureText("…", options);
  let kept = "";
  let used = 0;
  for (const { segment } of GRAPHEME_SEGMENTER.segment(text)) {
    used += measureText(segment, options);
    if (used > room) break;
    kept += segment;
  }
  return kept === "" ? "" : `${kept.trimEnd()}…`;
}

/** Splits text into graphemes, so that an emoji of several code points is never cut. */
const GRAPHEME_SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Widths of one font in em, unpacked on first use. */
class FontWidths {
  readonly #packed: string;
  #known: Map<string, number> | undefined;

  constructor(packed: string) {
    this.#packed = packed;
  }

  getWidth(letter: string): number {
    this.#known ??= unpackWidths(this.#packed);
    return this.#known.get(letter) ?? estimateWidth(letter);
  }
}

function unpackWidths(packed: string): Map<string, number> {
  const widths = new Map<string, number>();
  for (const run of packed.split(" ")) {
    const [first = 0, count = 0, width = 0] = run.split(".").map((part) => Number.parseInt(part, 36));
    for (let letter = first; letter < first + count; letter += 1) {
      widths.set(String.fromCodePoint(letter), width / UNITS_PER_EM);
    }
  }
  return widths;
}

function estimateWidth(letter: string): number {
  if (UNPRINTABLE.test(letter)) return REPLACEMENT_EM;
  if (ZERO_WIDTH.test(letter)) return 0;
  if (EMOJI.test(letter)) return EMOJI_EM;
  return EAST_ASIAN.test(letter) ? EAST_ASIAN_EM : MISSING_LETTER_EM;
}

const regularWidths = new FontWidths(REGULAR_ADVANCES);
const boldWidths = new FontWidths(BOLD_ADVANCES);
