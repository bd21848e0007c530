/**
 * Decides which names of fields, variables and headers hold secrets, by their last words: `db_password` does,
 * `password_length` does not; `api_key` does, `primary_key` does not. How the words are joined makes no difference.
 */

export interface NameKind {
  /** The kind of the mark in a text. In data the kind is `secret`: the field's name is visible. */
  readonly kind: 'password' | 'api-key' | 'token' | 'secret';
  /** `token` alone, which also means a part of a text, and `pass`: the value must look like a secret. */
  readonly bare: boolean;
  /** The value has three or four digits: a card's code. */
  readonly short: boolean;
  /** A name of data and headers. In prose any word may follow it. */
  readonly field: boolean;
  /** Named by a policy: any value is a secret. */
  readonly given: boolean;
  /** `auth`, which may also name a login method: only an encoded value is a secret. */
  readonly encoded: boolean;
}

const toWordSet = (words: string) => new Set(words.split(' '));

/** Words at the end of a name that do not change its meaning. */
const endings = toWordSet(
  'confirm confirmation confirmed repeat again value plain plaintext raw text old new current prod production dev test staging live local base64 b64 base header',
);
const abouts = toWordSet(
  'has is use uses with no need needs require requires required missing invalid wrong bad incorrect show hide allow enable disable verify check validate',
);
const passwordAbouts = toWordSet('forgot forgotten reset change update enter save remember');
const passOwners = toWordSet(
  'db database user smtp mail email mysql postgres pg redis ftp admin root ssh http proxy login sql mongo rabbitmq default become sudo keystore auth api',
);
const keyOwners = toWordSet(
  'api apis access secret private preshared shared signing encryption encrypt decryption master account auth subscription hmac aes admin app application role license deploy functions',
);
/** Services whose keys are often named after them: `STRIPE_KEY`. Without ambiguous words. */
export const services: ReadonlySet<string> = toWordSet(
  'openai anthropic claude gemini mistral cohere groq deepseek openrouter perplexity huggingface hf replicate elevenlabs deepgram assemblyai tavily serper serpapi pinecone azure aws gcp google stripe paypal braintree adyen plaid twilio sendgrid mailgun postmark mailchimp brevo github gitlab slack discord cloudflare digitalocean heroku vercel netlify supabase firebase sentry datadog newrelic pagerduty opsgenie algolia mapbox deepl shopify hubspot zendesk airtable openweather openweathermap newsapi rapidapi alphavantage polygon finnhub binance coinbase infura alchemy etherscan',
);
const tokenOwners = toWordSet('access refresh auth api bearer session id secret');
/** Tokens of models, parsers and lists. */
const otherTokens = toWordSet(
  'next page prev previous continuation continue sync cancel cancellation abort eos bos pad unk sep cls mask special stop first last start end per each input output total prompt completion max min this that single one sub any every syntax lexer current unexpected reserved cursor image audio text new invalid',
);
/** Matches every name of a secret in this file. */
export const likelySecretName =
  /pass|pwd?|psk|kennwort|contrase|senha|wachtwoord|lösenord|hasło|salasana|пароль|secret|token|key|auth|cookie|cred|cvv|cvc|jwt|bearer|signature|mnemonic|phrase/i;
const otherLanguages = /(?:contraseñ|contrasen|senh)as?$|(?:wachtwoord|lösenord|hasło|salasana|пароль)$/;

/** Returns the words of a name in lower case, without numbers at their ends. */
function splitWords(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  const words = spaced.toLowerCase().split(/[^a-z0-9]+/);
  const known = words.map((word) => word.replace(/(?<=[a-z])\d{1,2}$/, '')).filter((word) => /[a-z]/.test(word));
  while (known.length > 1 && endings.has(known.at(-1) ?? '')) known.pop();
  return known;
}

/** Returns a name without the characters between its words. Names of a policy are compared in this form. */
export function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the kind of secret under a name, or null. Names of more than 100 characters are ignored. */
export function findSecretKind(name: string, extra: ReadonlySet<string> = new Set()): NameKind | null {
  if (name.length > 100) return null;
  if (extra.size > 0 && extra.has(toPlainName(name))) return createNameKind('secret', { given: true });
  if (!likelySecretName.test(name)) return null;
  if (name === '_auth') return createNameKind('token');
  if (otherLanguages.test(name.toLowerCase())) return createNameKind('password');
  const words = splitWords(name);
  const last = words.at(-1) ?? '';
  const owner = words.at(-2) ?? '';
  if (abouts.has(owner) || abouts.has(words[0] ?? '')) return null;
  return (
    findPasswordKind(last, owner) ??
    findKeyKind(last, owner, words.at(-3) ?? '') ??
    findTokenKind(last, owner) ??
    findOtherKind(last, owner)
  );
}

function createNameKind(kind: NameKind['kind'], more: Partial<NameKind> = {}): NameKind {
  return { kind, bare: false, short: false, field: false, given: false, encoded: false, ...more };
}

/** `auth` in a text: `{"auth":"<base64>"}`. In data other rules apply. */
export const authKind: NameKind = createNameKind('token', { encoded: true });

function findPasswordKind(last: string, owner: string): NameKind | null {
  if (passwordAbouts.has(owner)) return null;
  if (/(?:password|passwd|passphrase|passcode|passwort|kennwort)s?$/.test(last) || /^(?:pwd|psk)$/.test(last))
    return createNameKind('password');
  if (last === 'motdepasse' || (last === 'passe' && owner === 'de')) return createNameKind('password');
  if (/^(?:store|key|user|db|root|admin|smtp|mail|http|proxy|ssh|ftp)pass$/.test(last))
    return createNameKind('password');
  if (last !== 'pass' && last !== 'pw') return null;
  return passOwners.has(owner)
    ? createNameKind('password')
    : owner === ''
      ? createNameKind('password', { bare: true })
      : null;
}

function findKeyKind(last: string, owner: string, before: string): NameKind | null {
  // `OpenAI` is two words.
  const isService = services.has(owner) || services.has(before + owner);
  const owned = /^keys?$/.test(last) && (keyOwners.has(owner) || isService);
  const joined = /(?:api|access|secret|private|preshared|signing|encryption|master|account|auth)keys?$/.test(last);
  return owned || joined ? createNameKind('api-key') : null;
}

function findTokenKind(last: string, owner: string): NameKind | null {
  if (last === 'tokens') return tokenOwners.has(owner) ? createNameKind('token') : null;
  if (last === 'token') return otherTokens.has(owner) ? null : createNameKind('token', { bare: owner === '' });
  const joined = /^(?:access|refresh|auth|bearer|session|id|csrf|xsrf|api)token$/.test(last);
  return joined || last === 'jwt' || last === 'bearer' ? createNameKind('token') : null;
}

function findOtherKind(last: string, owner: string): NameKind | null {
  if (/^(?:client|app|api|consumer|shared)?secrets?$/.test(last)) return createNameKind('secret');
  if (last === 'cvv' || last === 'cvc') return createNameKind('secret', { short: true });
  if (/^cookies?$/.test(last)) return createNameKind('secret', { field: true });
  if (last === 'authorization') return createNameKind('token', { field: true });
  if (/^credentials?$/.test(last)) return createNameKind('secret', { field: true });
  if (last === 'mnemonic' || last === 'seedphrase' || (last === 'phrase' && /^(?:seed|recovery)$/.test(owner)))
    return createNameKind('secret', { field: true });
  const signed = last === 'signature' && /^(?:amz|goog)$/.test(owner);
  return signed || last === 'sharedaccesssignature' ? createNameKind('secret') : null;
}
