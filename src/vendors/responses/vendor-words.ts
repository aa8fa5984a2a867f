import type { IdentityOutcome } from "../ports/identity-upstream.ts";
import { badResponse, failedWith, negative, unavailable, unknown } from "../ports/outcomes.ts";

type Failing = Exclude<IdentityOutcome, { state: "verified" }>;

const ours = "(keys?|credentials?|token|app id|client id|merchant id|user id)";
const money = "(balance|funds?|wallet|credits?|units?)";
const number = "(bvn|v?nin|(bank )?verification number|national identi\\w+ number|identity number|id number)";
const person = `(${number}|records?|identity|identification|person|individual)`;
/** Words that may stand between the number and the verb. Any other noun would mean something else than the person. */
const between =
  "((number|record|details?|data|information|you|provided|supplied|submitted|entered|given|is|was|were|are) |\\d+ )*";
const cannot = "(unable to|can ?not|can t|could ?n[o ]*t|fail(ed|ure) to)";
const system = "(services?|servers?|system|network|provider|source|gateway|portal|nibss|nimc|upstream|api|host)";
const down = "(unavailable|not available|down|offline|unreachable|not reachable|not responding|unresponsive|busy)";

/**
 * Phrases of failures, with their meaning. The first row that matches counts: a vendor where our wallet is empty may
 * also write "not available". `no_money`, `bad_credentials`: about our account. "Invalid number" means an unknown
 * number, because we send only well-formed ones.
 */
const meanings: readonly { means: Failing; words: readonly string[] }[] = [
  {
    means: unavailable("no_money"),
    words: [
      `(insufficient|not enough|low|exhausted) (\\w+ ){0,2}${money}`,
      `${money} (\\w+ ){0,2}(insufficient|low|not enough|not sufficient|exhausted|empty)`,
      `not (\\w+ ){0,2}enough (\\w+ ){0,2}${money}`,
      "(fund|top ?up|recharge|credit) (your|the) (\\w+ )?(wallet|account|balance)",
      "payment required",
    ],
  },
  {
    means: unavailable("bad_credentials"),
    words: [
      `(invalid|incorrect|wrong|missing|expired|unknown) (\\w+ ){0,2}${ours}`,
      `${ours} (\\w+ ){0,3}(invalid|incorrect|wrong|missing|expired|required|revoked|disabled|inactive)`,
      `${ours} (\\w+ ){0,3}not (be )?(found|valid|recogni[sz]ed|authori[sz]ed|active|exist)`,
      "unauthori[sz]ed|not authori[sz]ed|access denied|permission denied|not permitted|access (is )?forbidden",
      "authentication (\\w+ ){0,2}(failed|required)",
      "(your|merchant|business|client|organi[sz]ation) (account )?(\\w+ " +
        "){0,2}(suspended|disabled|deactivated|inactive|restricted|not (found|active|activated|enabled|approved))",
      "(not (available|enabled|activated|allowed)|no access) (\\w+ ){0,2}(for|on|in) (your|this) (\\w+ " +
        ")?(account|plan|app|business|subscription)",
      "ip (address )?(\\w+ ){0,2}not (\\w+ )?(whitelisted|allowed)|(not|no active) (subscribed|subscription)",
    ],
  },
  // After a time-out, the work may have been done.
  { means: unknown, words: ["time ?out", "timed out"] },
  {
    means: unavailable("out_of_service"),
    words: [
      `${cannot} (reach|connect|contact|communicate)`,
      `${system} (\\w+ ){0,3}${down}`,
      `(temporarily|currently|presently|momentarily) (\\w+ )?(${down}|unable)`,
      `(${cannot}|unable) (\\w+ ){1,6}(at the moment|at this time|right now)`,
      "maintenance|downtime|out of service|service (outage|interruption|disruption)|bad gateway",
      "temporary (failure|error|problem|issue)|(connection|network) (\\w+ )?(fail\\w+|error|refused|problem|issue)",
    ],
  },
  {
    means: negative("not_found"),
    words: [
      `${person} ${between}(not|can ?not|could not) (be )?(found|located|exist\\w*|recogni[sz]ed)`,
      `${person} ${between}(does|do|did) ?n[o ]*t exist`,
      `no (such )?((matching|valid|corresponding|existing) )?(${person}|match|results?|data|information) (\\w+ )?(found|exists?|available|returned|for|matche[sd]|matching|with)`,
      `no (such|matching|corresponding) ${person}`,
      "no (records?|match)$",
      "^(id|details|data|information) not found",
      `${cannot} (find|locate) (\\w+ )?${person}`,
    ],
  },
  {
    means: negative("not_found"),
    words: [
      `(invalid|wrong|incorrect|unknown|non ?existent|inexistent) (\\w+ )?${number}(?! (request|parameter|field|service|product|endpoint|url|type))`,
      `${number} ${between}(invalid|wrong|incorrect|not (a )?(valid|correct)|unknown|non ?existent)`,
      `not a valid ${number}`,
    ],
  },
  // A weak sign, which vendors add to any failure.
  { means: unavailable("out_of_service"), words: ["(try|retry) (again )?(later|shortly|in|after)"] },
];

type Words = readonly { means: Failing; words: RegExp }[];

const table: Words = meanings.map(({ means, words }) => ({
  means,
  words: new RegExp(`\\b(${words.join("|")})(?!\\w)`, "i"),
}));

/** Names of members that may explain a failure. */
const telling = /message|error|detail|description|reason|status|code|title|response/i;

/** Reads an outcome from the words of a failure, with any 4xx status or 200. Undefined if the words are unknown. */
export function outcomeInWords(body: unknown): Failing | undefined {
  return meaningOf(explanations(body), table);
}

function meaningOf(told: readonly string[], rows: Words): Failing | undefined {
  return rows.find(({ words }) => told.some((text) => words.test(text)))?.means;
}

const isAboutPerson = ({ means }: Words[number]) => means.state === "negative";
const firstAboutPerson = table.findIndex(isAboutPerson);

/**
 * Adds a vendor's own rows to the table. Rows about the person go just before the first common row about the person,
 * all others to the start.
 */
export function wordsTable(own: Words): Words {
  const [about, others] = [own.filter(isAboutPerson), own.filter((row) => !isAboutPerson(row))];
  return [...others, ...table.slice(0, firstAboutPerson), ...about, ...table.slice(firstAboutPerson)];
}

/** Returns a pattern that finds these phrases in the form that `explanations` returns: single spaces between words. */
export function phraseMatcher(phrases: readonly string[]): RegExp {
  const escaped = phrases.map((phrase) => RegExp.escape(phrase.replaceAll(/[\W_]+/g, " ").trim()));
  return new RegExp(`(?<!\\w)(?:${escaped.join("|")})(?!\\w)`, "i");
}

/** Reads why a vendor gave no access token. Without a token the vendor did no work about a person. */
export function faultInWords(body: unknown): "no_money" | "bad_credentials" | "out_of_service" | undefined {
  const inWords = outcomeInWords(body);
  if (inWords === undefined || inWords.state === "negative") return undefined;
  return inWords.reason === "no_money" || inWords.reason === "bad_credentials" ? inWords.reason : "out_of_service";
}

/** Returns the texts that explain a failure, with single spaces between words. */
export function explanations(value: unknown): string[] {
  const texts: string[] = [];
  explain(value, true, 4, texts);
  return texts;
}

/**
 * Collects texts. It walks through whole records, so it tests a member's name only if the member is a text or a list.
 */
function explain(value: unknown, isTelling: boolean, depth: number, texts: string[]): void {
  if (typeof value === "string") {
    if (isTelling) texts.push(value.replaceAll(/[\W_]+/g, " ").trim());
  } else if (depth === 0 || typeof value !== "object" || value === null) return;
  else if (Array.isArray(value)) for (const each of value) explain(each, isTelling, depth - 1, texts);
  else
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name];
      const decides = typeof member === "string" || Array.isArray(member);
      explain(member, decides && telling.test(name), depth - 1, texts);
    }
}

/**
 * With these statuses the failure concerns our account, even if the words mention a person: "Merchant record not
 * found".
 */
const aboutOurAccount: ReadonlySet<number> = new Set([401, 402]);

/**
 * Returns the outcome of a failure. Words about the vendor or our account count first, then the vendor's own code
 * (`byCode`), then words about the person. The words of a server's failure (status 500 and above) are ignored, because
 * the work may be done.
 */
export function failureOutcome(status: number, body: unknown, byCode?: IdentityOutcome): IdentityOutcome {
  return status >= 500 ? failedWith(status) : toldOutcome(status, explanations(body), { byCode, words: table });
}

/** Like `failureOutcome`, for a status below 500, with a table that includes the vendor's own words. */
export function toldOutcome(
  status: number,
  told: readonly string[],
  { byCode, words }: { byCode: IdentityOutcome | undefined; words: Words },
): IdentityOutcome {
  const inWords = meaningOf(told, words);
  if (inWords && inWords.state !== "negative") return inWords;
  if (byCode) return byCode;
  if (inWords && !aboutOurAccount.has(status)) return inWords;
  return status < 300 ? badResponse("failure") : failedWith(status);
}
