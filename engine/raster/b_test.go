package raster_test
import ("testing";"encoding/binary";"fmt";"time";"bytes";"veracity/engine/mediatest";"veracity/engine/mediatest/coded")
func exifBomb(size int) []byte {
 le:=binary.LittleEndian
 b:=[]byte("II*\x00\x08\x00\x00\x00")
 n:=(size-200)/12/2
 if n>65000 {n=65000}
 mk:=func(at int, links [][2]int) []byte { d:=le.AppendUint16(nil,uint16(n)); for i:=0;i<n;i++ { tag:=uint16(0x0100+i%60000); typ:=uint16(2); cnt:=uint32(20000); off:=uint32(8)
   if i<len(links) { tag=uint16(links[i][0]); typ=4; cnt=1; off=uint32(links[i][1]) }
   d=le.AppendUint16(d,tag); d=le.AppendUint16(d,typ); d=le.AppendUint32(d,cnt); d=le.AppendUint32(d,off)}; return append(d,0,0,0,0)}
 sz:=2+12*n+4
 b=append(b, mk(8,[][2]int{{0x8769,8+sz}})...)
 b=append(b, mk(8+sz,nil)...)
 return b
}
func TestB(t *testing.T){
 w:=coded.LosslessWebP(t, mediatest.Photo(64,48))
 body:=w[12:]
 for _,sz:=range []int{60000, 1<<20-2000, 24<<20} {
 ex:=exifBomb(sz); if len(ex)<sz { ex=append(ex, make([]byte, sz-len(ex))...) }
 chunk:=func(id string,b []byte) []byte { o:=binary.LittleEndian.AppendUint32([]byte(id),uint32(len(b))); o=append(o,b...); return append(o,make([]byte,len(b)%2)...) }
 f:=bytes.Join([][]byte{[]byte("WEBP"),chunk("VP8X",[]byte{0x08,0,0,0,63,0,0,47,0,0}),body,chunk("EXIF",ex)},nil)
 f=append(binary.LittleEndian.AppendUint32([]byte("RIFF"),uint32(len(f))),f...)
 r:=resetPeak(t)
 s:=time.Now(); m,err:=decode(t.Context(),f); fmt.Println(sz,len(f),m!=nil,err,time.Since(s), memory(t,"VmHWM")-r)
 }
}
