/**
 * VERIFY.md of an export: how to verify it without Longhand, with common tools. A test runs the commands as they are.
 */

/** Formats VERIFY.md. @param signed whether a key signed the export @param hasPrompts whether it contains prompts */
export function formatRecipe(signed: boolean, hasPrompts = false): string {
  return `# How to verify this export

You need \`openssl\` (3 or newer), \`sha256sum\`, \`jq\` and \`python3\`, but neither Longhand nor a network. Run the commands in
this folder. Each command prints the text of the comment after it; otherwise the export was altered.

| file | content |
| --- | --- |
| \`entries.jsonl\` | the entries in order, one per line; for omitted entries, their digests |
| \`contents.jsonl\` | tasks, arguments, results, thoughts, reasons; each with its salt |
| \`manifest.json\` | exporter, filters, time, digests of these files, signed heads, public keys |
| \`manifest.sig\` | the signature of \`manifest.json\`, Ed25519, in base64 |
${hasPrompts ? promptsRow : ''}
${signed ? signatures : unsigned}
## ${signed ? 3 : 1}. The files match the manifest

\`\`\`sh
jq -r '.files | to_entries[] | "\\(.value.sha256)  \\(.key)"' manifest.json | sha256sum -c
# each file: OK
\`\`\`

## ${signed ? 4 : 2}. The entries are one unbroken chain

Each line of \`entries.jsonl\` is JSON with sorted keys and no spaces. The *digest* of an entry is the SHA-256 of its line
without its members \`hash\` and \`previous\`; its \`hash\` is the SHA-256 of the hash before it and its digest, as one text. For
the first entry of a log, the hash before it is empty. Each tenant has its own log. The digest of a content in its entry
(\`stored\`) is the SHA-256 of its salt and its JSON in \`contents.jsonl\`. \`original\` is the digest of an original that is
masked or not stored; its salt is not in the export.

If you have an anchor of the log from an outside witness, save it in this folder as \`anchor.json\`: its heads are compared too.

\`\`\`sh
python3 - <<'EOF'
${python}
EOF
# whole: the number of entries, contents and heads, then the last hash of each log; anchored: heads of the anchor in this export
\`\`\`
${hasPrompts ? promptsPart : ''}`;
}

const promptsRow = '| `prompts.jsonl` | the prompts of model calls; `seq` is the number of the entry |\n';

const promptsPart = `
## The prompts are those that were sent

The entry of a model call has the SHA-256 of its request, as JSON with sorted keys and no spaces. A call without a reply has
none: its prompt is not compared.

\`\`\`sh
python3 - <<'EOF'
import hashlib, json
lines = lambda file: (json.loads(line) for line in open(file, encoding='utf-8', newline='\\n'))
sent = {(e['namespace'], e['tenant'], e['seq']): e['what'].get('request') for e in lines('entries.jsonl') if 'what' in e}
proven = 0
for held in lines('prompts.jsonl'):
    digest = sent[(held['namespace'], held['tenant'], held['seq'])]
    if digest is None or 'request' not in (held['prompt'] or {}): continue
    text = json.dumps(held['prompt']['request'], sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == digest, held['seq']
    proven += 1
print('proven prompts:', proven)
EOF
# proven prompts: their number
\`\`\`
`;

const unsigned = `This export is not signed: its hash chain reveals accidental changes, but not an attacker who computes all hashes again.
`;

const signatures = `## 1. The manifest is signed

\`\`\`sh
jq -rj '.keys[.key]' manifest.json > public.pem
openssl pkey -pubin -in public.pem -outform DER | sha256sum
# the id of the key. Compare it with the id that you received by another way: a writer of this folder can replace the key
# in it
base64 -d < manifest.sig > manifest.raw
openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in manifest.json -sigfile manifest.raw
# Signature Verified Successfully
\`\`\`

## 2. The heads are signed

A head records the hash of a log at an entry. Keys may have changed since.

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
    assert entry['seq'] == seq + 1, f'entry {seq + 1} of {log} is missing'
    if entry.get('leftOut'): digest = entry['digest']
    else: digest = sha(re.sub(r'"(?:hash|previous)":"[0-9a-f]*",', '', line))
    if before is None: before = entry.get('previous')
    assert entry.get('previous', before) == before, f'entry {seq + 1} of {log} does not follow the entry before it'
    assert before is None or sha(before + digest) == entry['hash'], f'entry {seq + 1} of {log} was altered'
    last[log] = hashes[log + (seq + 1,)] = (seq + 1, entry['hash'])
    for each in entry.get('contents', []): kept[log + (seq + 1, each['part'])] = each.get('stored')
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
