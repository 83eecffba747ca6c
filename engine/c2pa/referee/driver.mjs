// Asks other people's readers and writers of C2PA. Orders arrive as lines of JSON on standard input, an answer to each
// leaves as a line on standard output, until the input ends. argv: the folders of the npm packages.
import { createHash, createPrivateKey, sign as signBytes, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const [wasmFolder, tsFolder] = process.argv.slice(-2)
const load = (...path) => import(pathToFileURL(join(...path)).href)

const formats = {
  '.png': 'image/png', '.jpg': 'image/jpeg', '.webp': 'image/webp', '.gif': 'image/gif', '.tiff': 'image/tiff',
  '.avif': 'image/avif', '.heic': 'image/heic', '.mp4': 'video/mp4', '.mov': 'video/quicktime', '.m4a': 'audio/mp4',
  '.wav': 'audio/wav', '.mp3': 'audio/mpeg',
}
const formatOf = (path) => formats[extname(path)] ?? 'application/octet-stream'

// Node.js has no FileReaderSync, which the builder reads blobs with.
const contents = new WeakMap()
globalThis.FileReaderSync = class {
  readAsArrayBuffer(blob) { return contents.get(blob) }
}
const blobOf = (path) => {
  const bytes = new Uint8Array(readFileSync(path))
  const blob = new Blob([bytes])
  contents.set(blob, bytes.buffer)
  return blob
}

let ready
const c2paRS = () => ready ??= (async () => {
  const wasm = await load(wasmFolder, 'pkg', 'c2pa.js')
  await wasm.default({ module_or_path: readFileSync(join(wasmFolder, 'pkg', 'c2pa_bg.wasm')) })
  return wasm
})()

// Usages of certificates that may sign claims: C2PA's own and e-mail protection. Nothing is fetched from a network.
const settings = (anchors) => JSON.stringify({
  trust: { trust_anchors: anchors || undefined, trust_config: '1.3.6.1.5.5.7.3.4\n1.3.6.1.4.1.62558.2.1\n' },
  verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_after_sign: false },
  builder: { thumbnail: { enabled: false } },
})

async function read({ path, anchors }) {
  const wasm = await c2paRS()
  try {
    const reader = await wasm.WasmReader.fromBytes(formatOf(path), new Uint8Array(readFileSync(path)), settings(anchors))
    const store = JSON.parse(reader.json())
    reader.free()
    return { store }
  } catch (e) {
    if (e instanceof WebAssembly.RuntimeError) throw e
    return { error: String(e?.message ?? e) }
  }
}

async function readTS({ path }) {
  const { BMFF, JPEG, PNG } = await load(tsFolder, 'dist', 'asset', 'index.js')
  const { SuperBox } = await load(tsFolder, 'dist', 'jumbf', 'index.js')
  const { ManifestStore, ValidationResult } = await load(tsFolder, 'dist', 'manifest', 'index.js')
  const bytes = new Uint8Array(readFileSync(path))
  const Format = [PNG, JPEG, BMFF].find((f) => f.canRead(bytes))
  if (!Format) return { error: 'unknown format' }
  const asset = new Format(bytes)
  const box = asset.getManifestJUMBF()
  if (!box) return { error: 'no manifest store' }
  let result
  try {
    result = await ManifestStore.read(SuperBox.fromBuffer(box)).validate(asset)
  } catch (e) {
    result = ValidationResult.fromError(e)
  }
  return { valid: result.isValid, statuses: result.statusEntries }
}

// CBOR as far as a COSE_Sign1 needs it (RFC 8949, section 3).
const head = (major, n) => {
  if (n < 24) return Buffer.from([major << 5 | n])
  if (n < 256) return Buffer.from([major << 5 | 24, n])
  return n < 65536 ? Buffer.from([major << 5 | 25, n >> 8, n & 255]) : Buffer.from([major << 5 | 26, n >>> 24, n >> 16 & 255, n >> 8 & 255, n & 255])
}
const bstr = (b) => Buffer.concat([head(2, b.length), b])
const tstr = (s) => Buffer.concat([head(3, Buffer.byteLength(s)), Buffer.from(s)])
const list = (...items) => Buffer.concat([head(4, items.length), ...items])
const map = (...pairs) => Buffer.concat([head(5, pairs.length), ...pairs.flat()])
const int = (n) => n < 0 ? head(1, -1 - n) : head(0, n)

// Algorithms by the name that c2pa-rs gives them (RFC 9053).
const algorithms = {
  es256: [-7, 'sha256', { dsaEncoding: 'ieee-p1363' }], es384: [-35, 'sha384', { dsaEncoding: 'ieee-p1363' }],
  es512: [-36, 'sha512', { dsaEncoding: 'ieee-p1363' }], ed25519: [-8, null, {}],
  ps256: [-37, 'sha256', { padding: 6, saltLength: 32 }],
}
const algorithmOf = (key) => {
  if (key.asymmetricKeyType !== 'ec') return key.asymmetricKeyType === 'ed25519' ? 'ed25519' : 'ps256'
  return { prime256v1: 'es256', secp384r1: 'es384', secp521r1: 'es512' }[key.asymmetricKeyDetails.namedCurve]
}

// A COSE_Sign1 of exactly the size, padded in its pad header.
function cose(payload, alg, key, chain, size) {
  const [id, hash, options] = algorithms[alg]
  const certificates = chain.map(bstr)
  const headers = bstr(map([int(1), int(id)], [int(33), certificates.length === 1 ? certificates[0] : list(...certificates)]))
  const signature = signBytes(hash, list(tstr('Signature1'), headers, bstr(Buffer.alloc(0)), bstr(payload)), { key, ...options })
  const build = (pad) => Buffer.concat([head(6, 18), list(headers, map([tstr('pad'), bstr(Buffer.alloc(pad))]), Buffer.from([0xf6]), bstr(signature))])
  const room = size - build(0).length
  for (let pad = Math.max(0, room - 4); pad <= room; pad++) {
    const out = build(pad)
    if (out.length === size) return out
  }
  throw new Error(`no room for the signature in ${size} bytes`)
}

async function sign({ path, out, manifest, ingredients, certificates, key, intent }) {
  const wasm = await c2paRS()
  const builder = wasm.WasmBuilder.fromJson(manifest, settings(''))
  if (intent) builder.setIntent(JSON.parse(intent))
  for (const i of ingredients ?? []) await builder.addIngredientFromBlob(i.json, formatOf(i.path), blobOf(i.path))
  const chain = certificates.match(/-----BEGIN[^]*?-----END CERTIFICATE-----/g).map((pem) => new X509Certificate(pem).raw)
  const secret = createPrivateKey(key)
  const alg = algorithmOf(secret)
  const reserveSize = 4096 + chain.reduce((n, der) => n + der.length, 0)
  const signer = { alg, reserveSize, sign: async (claim) => new Uint8Array(cose(Buffer.from(claim), alg, secret, chain, reserveSize)) }
  writeFileSync(out, await builder.sign(signer, [], formatOf(path), blobOf(path)))
  return { sha256: createHash('sha256').update(readFileSync(out)).digest('hex') }
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line)
  let answer
  try {
    answer = await { read, readTS, sign }[order.act](order)
  } catch (e) {
    answer = { fault: String(e?.stack ?? e) }
  }
  await new Promise((done) => process.stdout.write(JSON.stringify(answer) + '\n', done))
  if (answer.fault) process.exit(1) // What a module that has stopped says next is worth nothing.
}
