import { randomUUID } from "node:crypto";
import { type Html, html } from "../../http/pages/html.ts";
import { memberWith } from "../../operation/command/answer-table.ts";
import { amount, calendarMonth, day, futureTime, remark } from "../../operation/command/forms.ts";
import { InputError, type Member, membersOf } from "../../operation/command/read-texts.ts";
import { type Command, confirms } from "../../operation/command.ts";
import { labelFor, pathOf, verbOf } from "../site-map.ts";
import type { Say } from "./command-words.ts";
import { wordOf } from "./words.ts";

/** The texts of a form, by member. */
export type FormTexts = Readonly<Record<string, readonly string[]>>;

export interface FormState {
  texts: FormTexts;
  /** What members of the record are now, as their fields say it: a form that leaves them so does not change them. */
  set?: FormTexts;
  /** The same when a form was made that is shown again. */
  was?: string | undefined;
  /** The identity vendors that the service asks. */
  vendors?: readonly string[];
  /** To choose an account from. */
  accounts?: readonly { email: string; name: string }[];
  problem?: Error | undefined;
  formToken: string;
  /** The id of the person who fills it. */
  person: string;
  say: Say;
  /** Name of the zone in which times are given. */
  zone: string;
  /** Where it goes. Default: the command's own page. */
  action?: string;
}

/** Whether a browser asks with the URL: a read that calls nobody, without a member that no URL may hold. */
export function asksByUrl({ kind, calls, input }: Command<never>): boolean {
  return (
    kind === "read" &&
    !calls &&
    !membersOf(input).some(({ member }) => member.private || member.pasted || member.holds === "file")
  );
}

/** Whether the command can say what it would change. */
export function canCheck({ kind, input }: Command<never>): boolean {
  return kind !== "read" && membersOf(input).some(({ name }) => name === "dry_run");
}

/** The form of a command: a labelled field for each member of its input, with its hint, choices and problem. */
export function commandForm(
  command: Command<never>,
  {
    texts: given,
    set = {},
    was,
    vendors = [],
    accounts = [],
    problem,
    formToken,
    person,
    say,
    zone,
    action = pathOf(command),
  }: FormState,
): Html {
  const byUrl = asksByUrl(command);
  const all = membersOf(command.input);
  const texts = problem ? given : filled(set, given);
  // A button of its own asks for a dry run, and a link for the rows that follow.
  const members = all.filter(({ name }) => name !== (byUrl ? "cursor" : "dry_run"));
  const isUpload = members.some(({ member }) => member.holds === "file");
  const isDanger = command.kind === "danger";
  const checks = canCheck(command);
  const problems = new Map(
    problem instanceof InputError ? problem.problems.map(({ field, message }) => [field, message]) : [],
  );
  const fieldOf = (named: NamedMember) =>
    field(named, texts[named.name] ?? [], problems.get(named.name), { say, zone, command, vendors });
  const isFolded = ({ member }: NamedMember) => !byUrl && member.folded === true;
  const folded = members.filter(isFolded);
  const isOpen = folded.some(
    ({ name, member }) => problems.has(name) || (given[name] ?? []).some((text) => text !== member.default),
  );
  const labels = folded.map(({ name, member }) => labelOf(name, member).toLowerCase()).join(", ");
  return html`<form class="command${checks ? " desk" : ""}" method="${byUrl ? "get" : "post"}" action="${action}"${
    isUpload ? html` enctype="multipart/form-data"` : ""
  }${confirms(command) === "never" ? "" : html` data-passkey`}${savesFile(command) ? html` data-saves` : ""} novalidate>
<div class="fields">
${problem ? problemBox(problem, say, command) : ""}
${byUrl ? html`<input type="hidden" name="_run" value="1">` : html`<input type="hidden" name="_token" value="${formToken}"><input type="hidden" name="_person" value="${person}">`}${worksOnce(command) ? formId() : ""}
${Object.keys(set).length === 0 ? "" : html`<input type="hidden" name="_was" value="${was ?? JSON.stringify(set)}">`}
${confirms(command) === "never" ? "" : passkeyFields()}
${members.filter((named) => !isFolded(named)).map(fieldOf)}
${folded.length === 0 ? "" : html`<details class="fold"${isOpen ? html` open` : ""}><summary>More<span class="quiet">${labels}</span></summary>${folded.map(fieldOf)}</details>`}
${
  members.some(isAccount) && accounts.length > 0
    ? html`<datalist id="accounts">${accounts.map(({ email, name }) => html`<option value="${email}">${name}</option>`)}</datalist>`
    : ""
}
</div>
${checks ? html`<section class="answer" id="checked" aria-live="polite"></section>` : ""}
<div class="send"><p class="buttons"><button class="button ${isDanger ? "danger" : "main"}" id="send">${buttonOf(command)}</button>${
    checks
      ? html` <button class="button" name="dry_run" value="on" hx-post="${action}"${isUpload ? html` hx-encoding="multipart/form-data"` : ""} hx-target="#checked" hx-select=".outcome, .problem" hx-select-oob="#send:innerHTML" hx-swap="innerHTML">Check</button>`
      : ""
  }</p>
${confirms(command) === "never" ? "" : html`<p class="hint">${whyPasskey(command)} <noscript>Browsers offer passkeys to scripts only, so switch scripts on.</noscript></p>`}</div>
</form>`;
}

type NamedMember = ReturnType<typeof membersOf>[number];

/** What a form says, over what its record is now. */
function filled(set: FormTexts, given: FormTexts): FormTexts {
  return { ...set, ...Object.fromEntries(Object.entries(given).filter(([, texts]) => texts.length > 0)) };
}

/** Whether a form that was made with these texts leaves them. */
export function isUnchanged(was: FormTexts, name: string, given: unknown): boolean {
  return given !== undefined && JSON.stringify(was[name]) === JSON.stringify([given].flat());
}

/** What a form was made with; nothing for a text that is none. */
export function textsWas(text: unknown): FormTexts {
  try {
    const read: unknown = JSON.parse(String(text));
    return typeof read === "object" && read !== null ? (read as FormTexts) : {};
  } catch {
    return {};
  }
}

/** What the script of passkeys fills in. */
export function passkeyFields(): Html {
  return html`<input type="hidden" name="_deed" value=""><input type="hidden" name="_passkey" value="">`;
}

/** Why the passkey of a person confirms a command. */
export function whyPasskey(command: Command<never>): string {
  const { kind, gives } = command;
  if (confirms(command) === "sometimes")
    return gives === "credentials"
      ? "A live key needs your passkey."
      : "If callers notice it at once, your passkey confirms it.";
  const says = [kind === "danger" ? "Nobody can undo this." : [], gives ? given[gives] : []].flat();
  return [...says, "Your passkey confirms it."].join(" ");
}

const given: Readonly<Record<NonNullable<Command<never>["gives"]>, string>> = {
  money: "This moves money.",
  authority: "This changes what somebody may do.",
  credentials: "This hands out a key.",
  "personal data": "This is about the data of a person.",
  protection: "This takes a protection away.",
};

/** Whether a form of the command does its work once, however often it is sent. */
export function worksOnce(command: Command<never>): boolean {
  return command.kind !== "read" && !savesFile(command);
}

/** By which the console knows a form again. */
export function formId(): Html {
  return html`<input type="hidden" name="_form" value="${randomUUID()}">`;
}

function savesFile({ answer }: Command<never>): boolean {
  return "lines" in answer || memberWith("holds", answer) !== undefined;
}

/** The members whose texts a page may repeat: not what is private, or may be, and no files. */
export function repeated({ input }: Command<never>): string[] {
  return membersOf(input).flatMap(({ name, member }) =>
    member.private || member.pasted || member.holds === "file" ? [] : [name],
  );
}

/** What the button of a form does. */
function buttonOf(command: Command<never>): string {
  if (!asksByUrl(command)) return verbOf(command);
  return savesFile(command) ? "Save the file" : "Show";
}

/** What is wrong with a field. A browser asks for a time without its zone. */
function messageOf(message: string): string {
  return message.replace(futureTime.form, "later than now");
}

/** What is wrong, with a link to each field that it is about. */
export function problemBox(problem: Error, say: Say, command?: Command<never>): Html {
  const problems = problem instanceof InputError ? problem.problems : [];
  const known = new Set(command ? membersOf(command.input).map(({ name }) => name) : []);
  const items = problems.map(({ field, message }) =>
    known.has(field)
      ? html`<li><a href="#f-${field}">${labelFor(field)} ${say(messageOf(message))}.</a></li>`
      : html`<li>${labelFor(field)} ${say(message)}.</li>`,
  );
  const body = items.length > 0 ? html`<ul>${items}</ul>` : html`<p class="lines">${say(problem.message)}</p>`;
  return html`<div class="band problem" role="alert" tabindex="-1"><h2>${command?.kind === "read" ? "Duba cannot show this." : "Nothing was changed."}</h2>${body}</div>`;
}

function labelOf(name: string, member: Member): string {
  return member.label ?? labelFor(member.private ? (member.placeholder ?? name) : name);
}

function field(
  named: NamedMember,
  texts: readonly string[],
  problem: string | undefined,
  { say, zone, ...about }: Pick<FormState, "say" | "zone"> & { command: Command<never>; vendors: readonly string[] },
): Html {
  const { name, member, isRequired } = named;
  const { command } = about;
  const id = `f-${name}`;
  if (member.holds === "passkey") return html`<input type="hidden" id="${id}" name="${name}" data-new-passkey>`;
  const mayLack = !isRequired && !asksByUrl(command) && member.default === undefined && member.type === "string";
  const label = html`${labelOf(name, member)}${mayLack ? html` <span class="quiet">optional</span>` : ""}`;
  const repeatsLabel = new RegExp(`^(?:Only )?th(?:is|e) ${name}\\.$`, "i").test(member.description);
  const hint = repeatsLabel
    ? ""
    : html`<p class="hint" id="${id}-hint">${say(member.description)}${member.form === futureTime.form ? ` Time of ${zone}.` : ""}</p>`;
  const wrong =
    problem === undefined
      ? ""
      : html`<p class="wrong" id="${id}-problem">${labelFor(name)} ${say(messageOf(problem))}.</p>`;
  const described = [...(repeatsLabel ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])];
  const describes = described.length === 0 ? "" : html` aria-describedby="${described.join(" ")}"`;
  const marks = html`${describes}${problem === undefined ? "" : html` aria-invalid="true"`}`;
  const words = member.items?.enum;
  if (words)
    return html`<fieldset class="field" id="${id}"${marks}><legend>${label}</legend>${words.map(
      (word) =>
        html`<label class="check"><input type="checkbox" name="${name}" value="${word}"${texts.includes(word) ? html` checked` : ""}> ${word}</label>`,
    )}${wrong}${hint}</fieldset>`;
  if (member.type === "boolean")
    return html`<div class="field"><label class="check"><input type="checkbox" id="${id}" name="${name}" value="on"${
      texts.length > 0 ? html` checked` : ""
    }${marks}> ${label}</label>${wrong}${hint}</div>`;
  const attributes = html` id="${id}" name="${name}"${marks}${isRequired ? html` required` : ""}${isAccount(named) ? html` list="accounts"` : ""}`;
  const input = control(named, texts, about, attributes);
  const isNaira = member.form?.includes("in naira") && !member.form.includes("%");
  return html`<div class="field"><label for="${id}">${label}</label>${isNaira ? html`<div class="unit">${input}<span aria-hidden="true">₦</span></div>` : input}${wrong}${hint}</div>`;
}

/** A field that names an account. */
function isAccount({ name, member }: NamedMember): boolean {
  return name === "account" && member.holds === undefined;
}

function control(
  { name, member, isRequired }: NamedMember,
  texts: readonly string[],
  { command, vendors }: { command: Command<never>; vendors: readonly string[] },
  attributes: Html,
): Html {
  const [given = member.default ?? ""] = texts;
  const text = member.masks ? remark.read(given) : given;
  if (member.enum) {
    const options = (words: readonly string[]) =>
      words.map(
        (word) =>
          html`<option value="${word}"${word === text ? html` selected` : ""}>${wordOf({ name, shows: "text", text: word }, new Map())}</option>`,
      );
    const [used, others] = [true, false].map((isUsed) =>
      member.enum!.filter((word) => vendors.includes(word) === isUsed),
    );
    const choices =
      member.isVendor && used!.length > 0
        ? html`<optgroup label="In use">${options(used!)}</optgroup><optgroup label="Others">${options(others!)}</optgroup>`
        : options(member.enum);
    // Nobody chose it yet, so the form does not either.
    const none = !isRequired && asksByUrl(command) && !savesFile(command) ? "All" : "–";
    return html`<select${attributes}>${member.default === undefined ? html`<option value="">${none}</option>` : ""}${choices}</select>`;
  }
  if (member.holds === "file")
    return html`<input type="file" class="drop" multiple title="Choose files, or drop them here"${attributes}>`;
  // Several words of a terminal that name one thing, such as a provider and a code.
  if (member.type === "array" && command.target?.includes(name))
    return html`<input type="text" value="${texts.join(" ")}" autocomplete="off" spellcheck="false"${attributes}>`;
  if (member.type === "array")
    return html`<textarea rows="3" placeholder="One in each line"${attributes}>${texts.join("\n")}</textarea>`;
  // No page holds what is private, or may be, not even the one that repeats a form.
  if (member.private || member.pasted)
    return html`<input type="${member.private ? "password" : "search"}" autocomplete="off"${attributes}>`;
  return html`<input type="${typeOf(member)}" value="${text}" autocomplete="off" spellcheck="false"${member.form?.startsWith(amount.form) ? html` inputmode="decimal"` : ""}${attributes}>`;
}

function typeOf({ form }: Member): string {
  if (form === day.form) return "date";
  if (form === futureTime.form) return "datetime-local";
  return form === calendarMonth.form ? "month" : "text";
}
