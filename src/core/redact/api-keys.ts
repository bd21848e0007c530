/** Finds API keys of providers and clouds by their form alone: prefix, alphabet, length. */

import { type Finder, type Finding, findMatches, getTextAfter, getWordStart, selectOutermost } from './finding.js';

const runs = /[A-Za-z0-9_-]{15,}/g;
/** A longer run is not a key, even with a key's prefix. */
const longest = 512;

export const findApiKeys: Finder = (text) => {
  const findings: Finding[] = otherForms.flatMap(([holds, form]) =>
    text.includes(holds) ? findMatches(text, form, 'api-key') : [],
  );
  for (const match of text.matchAll(runs)) {
    const start = getWordStart(text, match.index);
    const end = match.index + match[0].length;
    if (end - start > longest || !isApiKey(text.slice(start, end))) continue;
    findings.push({ start, end, kind: 'api-key' });
    findings.push(...findAwsSecret(text, start, end));
  }
  return selectOutermost(findings);
};

function isApiKey(run: string): boolean {
  const forms = keyForms.get(run.slice(0, 2)) ?? [];
  if (hexKey.test(run)) return true;
  return forms.some(({ prefix, body }) => run.startsWith(prefix) && body.test(run.slice(prefix.length)));
}

const awsSecret =
  /(?<![A-Za-z0-9/+=])(?=[^a-z]{0,39}[a-z])(?=[^A-Z]{0,39}[A-Z])(?=\D{0,39}\d)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/;

/** Finds the secret after an AWS key id. The secret alone has no recognizable form. */
function findAwsSecret(text: string, start: number, end: number): readonly Finding[] {
  if (!/^A[KS]IA/.test(text.slice(start, start + 4))) return [];
  const secret = awsSecret.exec(getTextAfter(text, end, 160));
  if (secret === null) return [];
  return [{ start: end + secret.index, end: end + secret.index + 40, kind: 'api-key' }];
}

interface KeyForm {
  readonly prefix: string;
  /** What follows the prefix, to the end of the run of letters, digits, `_` and `-`. */
  readonly body: RegExp;
}

const any = (min: number, max = 400) => new RegExp(`^[\\w-]{${min},${max}}$`);
const plain = (min: number, max = 255) => new RegExp(`^[A-Za-z0-9]{${min},${max}}$`);
const hex = (min: number, max = min) => new RegExp(`^[0-9a-f]{${min},${max}}$`);
/** Excludes lower-case words with dashes, which are names of things. */
const mixed = (min: number) => new RegExp(`^(?=[\\w-]*\\d)(?!(?:[a-z]+[-_])+[a-z0-9]+$)[\\w-]{${min},400}$`);

const table: readonly (readonly [prefixes: string, body: RegExp])[] = [
  // Models.
  ['sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-None-', /^(?!.{0,99}your[-_])(?!x+$)[\w-]{16,400}$/i],
  ['sk-lf- sk-litellm-', mixed(16)],
  ['sk-', /^(?=[A-Za-z]{0,99}\d|[A-Za-z]{24})[A-Za-z0-9]{20,200}$/],
  ['hf_', plain(30, 45)],
  ['gsk_ r8_ pplx- fw_', plain(30, 100)],
  ['xai-', plain(40, 120)],
  ['nvapi- jina_ tvly- pcsk_ lsv2_pt_ lsv2_sk_ tgp_v1_ csk- wandb_v1_ ls__', mixed(24)],
  ['fc-', hex(32)],
  // Clouds.
  ['AKIA ASIA', /^[A-Z0-9]{16}$/],
  ['AIza', any(32, 40)],
  ['GOCSPX-', any(20, 40)],
  ['LTAI', plain(16, 24)],
  ['AKID', plain(32, 40)],
  ['dop_v1_ doo_v1_ dor_v1_', hex(40, 64)],
  ['dapi', /^[0-9a-f]{32}(?:-\d)?$/],
  ['HRKU-', any(36, 70)],
  ['pul- dose', hex(32, 40)],
  ['pscale_tkn_ pscale_pw_ pscale_oauth_ nfp_ fo1_ vercel_blob_rw_ rnd_ scw_', mixed(24)],
  ['sbp_', hex(40)],
  ['sb_secret_', any(20)],
  // Code and packages.
  ['ghp_ gho_ ghs_ ghu_ ghr_', plain(30)],
  ['github_pat_', /^\w{22,255}$/],
  ['glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- gloas- glagent-', any(18, 100)],
  ['npm_', plain(30, 50)],
  ['pypi-', /^(?:AgE[\w-]{16,400}|(?=[\w-]{0,60}\d)[\w-]{60,400})$/],
  ['rubygems_', hex(40, 64)],
  ['oy2', /^[a-z0-9]{43}$/],
  ['AKCp', plain(60, 80)],
  ['ATBB', plain(28, 36)],
  ['sqp_ squ_ sqa_ bkua_', hex(40)],
  ['CCIPAT_', any(40, 80)],
  ['CFPAT-', any(40, 60)],
  ['dckr_pat_ dckr_oat_', any(20, 60)],
  ['figd_', any(30)],
  ['lin_api_ lin_oauth_', plain(30)],
  ['PMAK-', /^[0-9a-f]{24}-[0-9a-f]{34}$/],
  // Talk and post.
  ['xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxo-', /^(?=[\w-]*\d)[\w-]{10,400}$/],
  ['xapp-', /^\d-[\w-]{16,200}$/],
  ['SK', hex(32)],
  ['key-', hex(32)],
  ['xkeysib- xsmtpsib-', any(40, 120)],
  ['re_', /^[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,32}$/],
  // Money and shops.
  ['sk_live_ sk_test_ rk_live_ rk_test_', plain(10)],
  ['sk_', hex(40, 64)],
  ['whsec_', plain(20, 80)],
  ['shpat_ shpca_ shppa_ shpss_', /^[0-9a-fA-F]{32}$/],
  ['sq0atp- sq0csp-', any(20, 50)],
  ['EAAA', /^(?=[\w-]*\d)[\w-]{56,64}$/],
  ['EAA', /^[A-Z][A-Za-z0-9]{80,300}$/],
  ['access-sandbox- access-development- access-production-', /^[0-9a-f]{8}-[0-9a-f-]{27}$/],
  ['FLWSECK_TEST- FLWSECK-', any(20, 60)],
  ['shippo_live_ shippo_test_', hex(40)],
  ['duffel_live_ duffel_test_', any(40, 60)],
  // Operations.
  ['glsa_ sntrys_ sntryu_', any(30)],
  ['glc_', /^eyJ[\w-]{40,400}$/],
  ['phx_', plain(40, 50)],
  ['NRAK-', plain(27, 40)],
  ['secret_ ntn_', plain(40, 60)],
  ['pat-na1- pat-eu1-', any(30, 50)],
  ['AGE-SECRET-KEY-', plain(40, 80)],
  // Longhand's gateway.
  ['lh_', /^[0-9a-z]{10}_[\w-]{43}$/],
];

/** The forms by their first two letters, the longest prefix first. */
const keyForms: ReadonlyMap<string, readonly KeyForm[]> = groupByFirstLetters();

function groupByFirstLetters(): ReadonlyMap<string, readonly KeyForm[]> {
  const forms = table.flatMap(([prefixes, body]) => prefixes.split(' ').map((prefix): KeyForm => ({ prefix, body })));
  const groups = new Map<string, KeyForm[]>();
  for (const form of forms.sort((a, b) => b.prefix.length - a.prefix.length)) {
    const first = form.prefix.slice(0, 2);
    groups.set(first, [...(groups.get(first) ?? []), form]);
  }
  return groups;
}

/** Keys of Mailgun and Mailchimp, which have no prefix. */
const hexKey = /^[0-9a-f]{32}-(?:[0-9a-f]{8}-[0-9a-f]{8}|us\d{1,2})$/;

/**
 * Forms that are more than a run of letters. Each bounds its repetitions, and is searched for only in a text that
 * contains the first column.
 */
const otherForms: readonly (readonly [holds: string, form: RegExp])[] = [
  // SendGrid, Vault, Google's short and long lived tokens, Dynatrace.
  ['SG.', /(?<![A-Za-z0-9])SG\.[\w-]{16,32}\.[\w-]{20,64}(?![\w-])/g],
  ['hv', /(?<![A-Za-z0-9_.])hv[sbr]\.[\w-]{20,200}(?![\w-])/g],
  ['s.', /(?<![\w.-])s\.(?=[A-Za-z]{0,23}\d)(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}(?![\w.-])/g],
  ['ya29.', /(?<![A-Za-z0-9])ya29\.[\w-]{20,400}(?![\w-])/g],
  ['1//0', /(?<![A-Za-z0-9/])1\/\/0[\w-]{30,200}(?![\w-])/g],
  ['dt0', /(?<![A-Za-z0-9])dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}(?![\w-])/g],
  // Azure's for applications, Terraform Cloud, Doppler, Airtable, Mapbox, Atlassian with their check digits.
  ['Q~', /(?<![\w.~-])[\w.~-]{3}[78]Q~[\w.~-]{31,34}(?![\w.~-])/g],
  ['.atlasv1.', /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}(?![\w-])/g],
  ['dp.', /(?<![A-Za-z0-9_.])dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}(?![\w-])/g],
  ['pat', /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![\w-])/g],
  ['k.eyJ', /(?<![A-Za-z0-9_.])(?:sk|tk)\.eyJ[\w-]{40,400}\.[\w-]{20,60}(?![\w-])/g],
  ['TT3x', /(?<![A-Za-z0-9])AT[AC]TT3x[\w-]{40,400}(?:=[0-9A-F]{8})?(?![\w-])/g],
  // GitLab's routable tokens, Slack's rotated tokens.
  ['glpat-', /(?<![A-Za-z0-9])glpat-[\w-]{20,64}\.[0-9a-z]{2}\.[0-9a-z]{7,16}(?![\w-])/g],
  ['xoxe.', /(?<![A-Za-z0-9])xoxe\.xox[bp]-[\w-]{16,400}(?![\w-])/g],
  // Bots of Discord and Telegram.
  ['.', /(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g],
  [':AA', /(?<=(?<![\w.-])(?:bot)?)(?<!\d)\d{8,10}:AA[\w-]{32,34}(?![\w-])/g],
  // URLs that are keys: knowing one is enough to read or post.
  ['sig=', /(?<=[?&]sig=)[\w%+/-]{30,120}={0,2}/g],
  ['hooks.slack.com', /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)(?=[\w/]{0,80}\d)[\w/]{16,160}/g],
  ['discord', /(?<=discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{15,21}\/)[\w-]{40,100}/g],
  ['.webhook.office.com', /(?<=\.webhook\.office\.com\/webhookb2\/)[\w@/-]{60,300}/g],
  [
    'chat.googleapis.com',
    /(?<=chat\.googleapis\.com\/v1\/spaces\/[\w-]{5,20}\/messages\?)key=[\w-]{20,60}&token=[\w%-]{20,100}/g,
  ],
];
