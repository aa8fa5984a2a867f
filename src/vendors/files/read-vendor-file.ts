import { Compile, type Validator } from "typebox/schema";
import { checkKinds } from "../../declare/check-kind.ts";
import { closestName } from "../../declare/closest-name.ts";
import { vendorUrl } from "../ports/vendor.ts";
import { braces, placeholders } from "./make-request.ts";
import { type FileRequest, VendorFile } from "./vendor-file.ts";

/** A problem in a vendor file: a JSON pointer, the problem, and the remedy. It repeats nothing that may be a secret. */
export interface FileProblem {
  place: string;
  problem: string;
  cure: string;
}

/** Bytes. A file has a page or two of text. */
export const largestFile = 64 * 1024;

let validator: Validator | undefined;

/** Returns the vendor file, or all problems of its text. `runSamples` checks the samples. */
export function readVendorFile(text: string): { file: VendorFile } | { problems: FileProblem[] } {
  if (Buffer.byteLength(text) > largestFile)
    return { problems: [{ place: "", problem: "The file is larger than 64 KiB.", cure: "Shorten its samples." }] };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    const [, at = "0"] = /position (\d+)/.exec((error as Error).message) ?? [];
    const line = text.slice(0, Number(at)).split("\n").length;
    const problem = `The file is no JSON: something is wrong in line ${line}.`;
    return { problems: [{ place: "", problem, cure: "Look for a comma, a quote or a bracket there." }] };
  }
  const problems = [...shapeProblems(given)];
  if (problems.length === 0) problems.push(...meaningProblems(given as VendorFile));
  return problems.length > 0 ? { problems } : { file: given as VendorFile };
}

interface SchemaError {
  instancePath: string;
  keyword: string;
  params: Readonly<Record<string, unknown>>;
}

interface JsonSchema {
  $ref?: string;
  description?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  patternProperties?: Readonly<Record<string, JsonSchema>>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
}

function* shapeProblems(given: unknown): Generator<FileProblem> {
  validator ??= Compile(VendorFile);
  if (validator.Check(given)) return;
  const errors = validator.Errors(given)[1] as readonly SchemaError[];
  // Where several forms are allowed, the validator reports an error for each form that does not fit.
  const choices = errors.filter(({ keyword }) => keyword === "anyOf").map(({ instancePath }) => instancePath);
  const isWithin = (path: string, error: SchemaError) =>
    error.keyword !== "anyOf" && error.instancePath.startsWith(path);
  const told = new Set<string>();
  for (const error of errors) {
    // The validator reports an unknown member twice: also at its object.
    if (error.keyword === "boolean" || choices.some((path) => isWithin(path, error))) continue;
    for (const found of problemsOf(error)) {
      const key = `${found.place} ${found.problem}`;
      if (!told.has(key)) yield found;
      told.add(key);
    }
  }
}

function problemsOf({ instancePath: place, keyword, params }: SchemaError): FileProblem[] {
  const here = schemaAt(place);
  const cureOf = (schema?: JsonSchema) => schema?.description ?? "docs/vendors.md has each member.";
  if (keyword === "required")
    return (params.requiredProperties as string[]).map((name) => ({
      place,
      problem: `${name} is missing.`,
      cure: `${name}: ${cureOf(here?.properties?.[name])}`,
    }));
  if (keyword === "additionalProperties") {
    const known = Object.keys(here?.properties ?? {});
    return (params.additionalProperties as string[]).map((name) => {
      const meant = closestName(name, known);
      return {
        place,
        problem: `No member here is called ${shown(name)}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
        cure: `These are: ${known.join(", ")}.`,
      };
    });
  }
  return [{ place, problem: wrongs[keyword] ?? "It has another form than it may have.", cure: cureOf(here) }];
}

const wrongs: Readonly<Record<string, string>> = {
  type: "It is of another type: a text, a list or an object stands where another belongs.",
  anyOf: "It has none of the forms that it may have.",
  enum: "It is none of the words that it may be.",
  pattern: "It is not written as it must be.",
  minLength: "It is empty.",
  maxLength: "It is too long.",
  minItems: "The list is empty.",
  maxItems: "The list is too long.",
  minProperties: "It is empty.",
  minimum: "The number is too small.",
  maximum: "The number is too large.",
};

/** Returns a name from the file, or "…" if it may be a pasted key or number. */
const shown = (name: string) => (/^[A-Za-z$][\w-]{0,39}$/.test(name) && !/\d{8}/.test(name) ? name : "…");

function schemaAt(place: string): JsonSchema | undefined {
  const steps = place.split("/").slice(1);
  return steps.reduce<JsonSchema | undefined>(memberOf, VendorFile as JsonSchema);
}

function memberOf(here: JsonSchema | undefined, step: string): JsonSchema | undefined {
  if (!here) return undefined;
  const found = memberIn(here, step);
  return found?.$ref ? definitions[found.$ref.split("/").at(-1)!] : found;
}

const definitions = (VendorFile as { $defs?: Readonly<Record<string, JsonSchema>> }).$defs!;

function memberIn(here: JsonSchema, step: string): JsonSchema | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties: others, description } = here;
  const items = here.items ?? here.anyOf?.find((each) => each.items)?.items;
  return (
    properties[step.replaceAll("~1", "/").replaceAll("~0", "~")] ??
    Object.values(patternProperties)[0] ??
    (typeof others === "object" ? others : undefined) ??
    (items && (items.description === undefined && description !== undefined ? { ...items, description } : items))
  );
}

/** Yields problems that the schema cannot express. */
function* meaningProblems(file: VendorFile): Generator<FileProblem> {
  const { name, settings } = file;
  if (name === "sandbox")
    yield { place: "/name", problem: "The sandbox is Duba's own.", cure: "Choose another name for the vendor." };
  if (!settings.url)
    yield {
      place: "/settings",
      problem: "The member url is missing: the address of the vendor.",
      cure: `Add "url": {"name": "DUBA_${name.toUpperCase()}_URL", "about": "…", "default": "https://…"}.`,
    };
  const prefix = `DUBA_${name.toUpperCase()}_`;
  const names = Object.values(settings).map((each) => each.name);
  for (const [member, given] of Object.entries(settings)) {
    const place = `/settings/${member}`;
    if (!/^[a-z][A-Za-z0-9]*$/.test(member) || member in placeholders)
      yield {
        place,
        problem: "It has a name that no setting may have.",
        cure: "Use letters, such as key or clientId.",
      };
    if (!given.name.startsWith(prefix))
      yield { place: `${place}/name`, problem: "It is not named after the vendor.", cure: `Begin it with ${prefix}.` };
    if (names.filter((each) => each === given.name).length > 1)
      yield { place: `${place}/name`, problem: "Two settings have this name.", cure: "Give each one of its own." };
    if (!given.secret && /KEY|SECRET|TOKEN|PASSW/.test(given.name))
      yield {
        place,
        problem: "It is named as a credential, and not said to be secret.",
        cure: 'Add "secret": true: then its value is shown nowhere.',
      };
    if (given.secret && given.default)
      yield { place: `${place}/default`, problem: "A secret has a default.", cure: "Leave default out." };
    if ((given.form === "url" || member === "url") && vendorUrl.read(given.default ?? "") === undefined)
      yield {
        place: `${place}/default`,
        problem: "It is no address of a vendor.",
        cure: `It must be ${vendorUrl.form}.`,
      };
  }
  if (file.token) yield* requestProblems(file, file.token, "/token", false);
  const common = { path: "/", ...(file.headers && { headers: file.headers }) };
  yield* requestProblems(file, common, "", true);
  for (const kind of checkKinds) {
    const asked = file.kinds[kind];
    if (!asked) continue;
    const place = `/kinds/${kind}`;
    yield* requestProblems(file, asked, place, true);
    if (asked.method === "GET" && (asked.json !== undefined || asked.form))
      yield { place, problem: "A GET has a body.", cure: "Use query, or the method POST." };
    if (!JSON.stringify(asked).includes("{number}"))
      yield { place, problem: "The request names no number.", cure: "Write {number} where the vendor wants it." };
    if (!asked.record.in && !asked.record.members)
      yield {
        place: `${place}/record`,
        problem: "It says of no member where it is.",
        cure: "Give in, members or both.",
      };
    for (const [outcome, what] of [
      ["found", "a person who is found"],
      ["not_found", "a number that nobody has"],
    ])
      if (!file.samples.some((each) => each.kind === kind && each.makes.outcome === outcome))
        yield {
          place: "/samples",
          problem: `No sample of ${kind} shows ${what}.`,
          cure: `Add one with "makes": {"outcome": "${outcome}"}.`,
        };
  }
  for (const [at, { kind }] of file.samples.entries())
    if (!file.kinds[kind])
      yield { place: `/samples/${at}/kind`, problem: "The file does not offer this kind.", cure: "Name one of kinds." };
  for (const [place, cases] of casesOf(file))
    for (const [at, each] of cases.entries()) {
      if (Object.keys(each).length === 0)
        yield { place: `${place}/${at}`, problem: "The case says nothing.", cure: "Give status, member or words." };
      if ((each.is !== undefined || each.not !== undefined) && each.member === undefined)
        yield { place: `${place}/${at}`, problem: "It compares no member.", cure: "Give member beside is and not." };
    }
}

function* casesOf(file: VendorFile) {
  const all = [
    ["/says", file.says] as const,
    ...Object.entries(file.kinds).map(([kind, of]) => [`/kinds/${kind}/says`, of?.says] as const),
  ];
  for (const [place, says] of all)
    for (const [saying, cases] of Object.entries(says ?? {})) yield [`${place}/${saying}`, cases] as const;
}

/** Names of members that often hold credentials. */
const credential = /key|token|secret|passw|auth|credential/i;

function* requestProblems(
  { settings, token }: VendorFile,
  request: FileRequest & { basic?: Readonly<Record<string, string>> },
  place: string,
  isAttempt: boolean,
): Generator<FileProblem> {
  const known = [...Object.keys(settings), ...(isAttempt ? Object.keys(placeholders) : [])];
  if (request.base !== undefined && request.base !== "url" && settings[request.base]?.form !== "url")
    yield {
      place: `${place}/base`,
      problem: "No setting with this name is an address.",
      cure: "Name a setting whose form is url.",
    };
  if (request.json !== undefined && request.form)
    yield { place, problem: "The request has two bodies.", cure: "Give json or form." };
  if (request.json !== undefined && (typeof request.json !== "object" || request.json === null))
    yield { place: `${place}/json`, problem: "The body is no object.", cure: "Give an object or a list." };
  const { path, headers, query, json, form, basic } = request;
  for (const [at, name, text] of textsIn({ path, headers, query, json, form, basic }, place)) {
    for (const [, named] of text.matchAll(braces)) {
      if (named === "token" && isAttempt && !token)
        yield {
          place: at,
          problem: "It names {token}, and the file has no token.",
          cure: "Say under token how it is got.",
        };
      else if (!known.includes(named!))
        yield {
          place: at,
          problem: `It names {${shown(named!)}}, which is neither a setting nor something that a caller says.`,
          cure: `These are known: ${known.join(", ")}.`,
        };
    }
    const bare = text.replaceAll(braces, "").replace(/^(?:Bearer|Basic|Token)\s*/i, "");
    const isLong = name !== "path" && /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.-]{20,}$/.test(bare);
    if (
      (credential.test(name) && bare !== "" && !/\{/.test(text) && !/^(?:client_credentials|password)$/.test(bare)) ||
      isLong
    )
      yield {
        place: at,
        problem: "A secret may stand in the file.",
        cure: 'Make it a setting with "secret": true, and name it in braces.',
      };
    if (at.includes("/headers/") && !/^[\x20-\x7e]*$/.test(text))
      yield {
        place: at,
        problem: "A header has a sign that no header may have.",
        cure: "Use visible ASCII characters.",
      };
    if (at.includes("/headers/") && !/^[A-Za-z][A-Za-z0-9-]*$/.test(name))
      yield { place: at, problem: "No header may have this name.", cure: "Use letters, digits and hyphens." };
  }
}

/** Yields all texts of a request, each with its place and the name of its member. */
function* textsIn(
  value: unknown,
  place: string,
  name = "",
): Generator<readonly [place: string, name: string, text: string]> {
  if (typeof value === "string") yield [place, name, value];
  else if (typeof value === "object" && value !== null)
    for (const [member, inner] of Object.entries(value))
      yield* textsIn(
        inner,
        `${place}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        Array.isArray(value) ? name : member,
      );
}
