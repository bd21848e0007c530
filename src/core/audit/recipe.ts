/**
 * How to verify an export without Longhand, in the export itself: with tools that are everywhere. What stands here is run by
 * a test, word for word.
 */

/** @param signed whether there is a key that signed it */
export function formatRecipe(signed: boolean): string {
  return `# How to verify this export

You need \`openssl\` (3 or newer), \`sha256sum\`, \`jq\` and \`python3\`. Nothing of Longhand is needed, and no network. Run the
commands in this folder. Each prints what stands behind it in a comment, or something is not as it was written.

| file | what it is |
| --- | --- |
| \`entries.jsonl\` | the entries, one in a line, in their order; of those that are left out, their digests |
| \`contents.jsonl\` | what was said: tasks, arguments, results, thoughts, reasons; each with its salt |
| \`manifest.json\` | who exported what and when, the digests of these files, the signed heads, the public keys |
| \`manifest.sig\` | the signature of \`manifest.json\`, Ed25519, in base64 |

${signed ? signatures : unsigned}
## ${signed ? 3 : 1}. The files are those of the manifest

\`\`\`sh
jq -r '.files | to_entries[] | "\\(.value.sha256)  \\(.key)"' manifest.json | sha256sum -c
# contents.jsonl: OK, entries.jsonl: OK, VERIFY.md: OK
\`\`\`

## ${signed ? 4 : 2}. The entries are one unbroken chain

Each line of \`entries.jsonl\` is JSON with sorted keys and no spaces. The *digest* of an entry is the SHA-256 of its line
without its members \`hash\` and \`previous\`; its \`hash\` is the SHA-256 of the hash before it and its digest, as one text. The
first entry of a log follows on the empty text. Each tenant has a log of its own. A content's digest in its entry (\`kept\`) is
the SHA-256 of its salt and its JSON as it stands in \`contents.jsonl\`. \`original\` is the digest of something that is not
kept, or only masked; its salt is not in the export.

If an outside witness gave you an anchor of the log, put it into this folder as \`anchor.json\`: its heads are compared too.

\`\`\`sh
python3 - <<'EOF'
${python}
EOF
# whole: the number of entries, contents and heads, and the last hash of each log; anchored: heads of an anchor in this export
\`\`\`
`;
}

const unsigned = `This export is not signed: the chain of its hashes shows what was altered by mistake, and not by who writes all hashes anew.
`;

const signatures = `## 1. The manifest is signed

\`\`\`sh
jq -rj '.keys[.key]' manifest.json > public.pem
openssl pkey -pubin -in public.pem -outform DER | sha256sum
# the id of the key. Compare it with the one that you were given by another way: whoever can write this folder can write
# another key into it
base64 -d < manifest.sig > manifest.raw
openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in manifest.json -sigfile manifest.raw
# Signature Verified Successfully
\`\`\`

## 2. The heads are signed

A head says which hash a log had at which entry. Keys may have changed since.

\`\`\`sh
jq -c '.heads[]' manifest.json | while read -r head; do
  printf '%s' "$head" | jq -rj .signed > head.txt
  printf '%s' "$head" | jq -r .signature | base64 -d > head.raw
  jq -rj --arg key "$(jq -r .key head.txt)" '.keys[$key]' manifest.json > head.pem
  openssl pkeyutl -verify -pubin -inkey head.pem -rawin -in head.txt -sigfile head.raw
done
# Signature Verified Successfully, once for each head
\`\`\`

`;

const python = `import hashlib, json, os, re
sha = lambda text: hashlib.sha256(text.encode()).hexdigest()
manifest = json.load(open('manifest.json', encoding='utf-8'))
begins = {(log['namespace'], log['tenant']): log['first']['seq'] for log in manifest['logs']}
last, kept, hashes, contents = {}, {}, {}, 0
for line in open('entries.jsonl', encoding='utf-8', newline='\\n'):
    line = line.rstrip('\\n'); entry = json.loads(line); log = (entry['namespace'], entry['tenant'])
    seq, before = last.get(log, (begins[log] - 1, '' if begins[log] == 1 else None))
    assert entry['seq'] == seq + 1, f'entry {seq + 1} of {log} is not there'
    if entry.get('leftOut'): digest = entry['digest']
    else: digest = sha(re.sub(r'"(?:hash|previous)":"[0-9a-f]*",', '', line))
    if before is None: before = entry.get('previous')
    assert entry.get('previous', before) == before, f'entry {seq + 1} of {log} does not follow on the one before'
    assert before is None or sha(before + digest) == entry['hash'], f'entry {seq + 1} of {log} was altered'
    last[log] = hashes[log + (seq + 1,)] = (seq + 1, entry['hash'])
    for each in entry.get('contents', []): kept[log + (seq + 1, each['part'])] = each.get('kept')
for line in open('contents.jsonl', encoding='utf-8', newline='\\n'):
    held = json.loads(line); text = re.match(r'\\{"content":(.*),"namespace":"', line.rstrip('\\n')).group(1)
    assert sha(held['salt'] + text) == kept[(held['namespace'], held['tenant'], held['seq'], held['part'])], held['seq']
    contents += 1
heads = [json.loads(head['signed']) for head in manifest['heads']]
for head in heads: assert hashes[(head['namespace'], head['tenant'], head['seq'])][1] == head['hash'], head
anchored = 0
for line in open('anchor.json', encoding='utf-8') if os.path.exists('anchor.json') else []:
    for head in [json.loads(head['signed']) for head in json.loads(line)['heads']]:
        there = hashes.get((head['namespace'], head['tenant'], head['seq']))
        assert there is None or there[1] == head['hash'], f'the anchor has another entry: {head}'
        anchored += there is not None
print('whole:', len(hashes), 'entries', contents, 'contents', len(heads), 'heads')
if os.path.exists('anchor.json'): print('anchored:', anchored, 'heads')
for log, (seq, hash) in last.items(): print(log, seq, hash)`;
