import { amount, calendarMonth, day, futureTime, lastDay, moment, remark } from "../../../declare/command/forms.ts";
import type { Member, membersOf } from "../../../declare/command/read-texts.ts";
import type { Command, Offered } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { isDay } from "../../../runtime/time-zone.ts";
import { labelFor } from "../site-map.ts";
import type { Say } from "./words.ts";
import { wordOf } from "./words.ts";

export type NamedMember = ReturnType<typeof membersOf>[number];

/** Rewrites a problem for a form: the browser's time field has no zone, and choices have labels. */
export function messageOf(message: string, { name, member }: Pick<NamedMember, "name" | "member">): string {
  if (member.enum && message.startsWith("must be one of "))
    return `must be one of ${member.enum.map((word) => choiceText(name, word)).join(", ")}`;
  return message.replace(futureTime.form, "later than now");
}

interface FieldParts {
  say: Say;
  /** The name of the time zone of the form's times. */
  zone: string;
  /** The text becomes part of a URL. */
  byUrl: boolean;
  command: Command<never>;
  vendors: readonly string[];
  /** Suggestions in place of free text. */
  offered?: Offered[string] | undefined;
  /** The record has a value for the member. */
  isSet: boolean;
  /** The first field to fill in, which gets the focus. */
  isFirst: boolean;
}

export function fieldLabel(name: string, member: Member): string {
  return member.label ?? labelFor(member.private ? (member.placeholder ?? name) : name);
}

/** Renders a field with label, hint and problem. */
export function formField(
  named: NamedMember,
  texts: readonly string[],
  problem: string | undefined,
  { say, zone, isSet, isFirst, ...about }: FieldParts,
): Html {
  const { name, member, isRequired } = named;
  const id = `f-${name}`;
  if (member.holds === "passkey") return html`<input type="hidden" id="${id}" name="${name}" data-new-passkey>`;
  const mayLack =
    !(isRequired || isSet || about.byUrl || about.offered || member.word !== undefined) &&
    member.default === undefined &&
    member.type !== "boolean";
  const label = html`${fieldLabel(name, member)}${mayLack ? html` <span class="quiet">optional</span>` : ""}`;
  const said = hintOf(named, texts, zone);
  const hint = said === undefined ? "" : html`<p class="hint" id="${id}-hint">${say(said)}</p>`;
  const wrong =
    problem === undefined
      ? ""
      : html`<p class="wrong" id="${id}-problem">${fieldLabel(name, member)} ${say(messageOf(problem, named))}.</p>`;
  const described = [
    ...(said === undefined ? [] : [`${id}-hint`]),
    ...(problem === undefined ? [] : [`${id}-problem`]),
  ];
  const describes = described.length === 0 ? "" : html` aria-describedby="${described.join(" ")}"`;
  const marks = html`${describes}${problem === undefined ? "" : html` aria-invalid="true"`}`;
  const focus = isFirst ? html` autofocus` : "";
  if (member.areEqual) {
    const [chosen] = texts;
    const choices = member.enum!.map(
      (word, at) =>
        html`<label class="check"><input type="radio" name="${name}" value="${word}" required${word === chosen ? html` checked` : ""}${at === 0 ? focus : ""}> ${capital(choiceText(name, word))}${member.words?.[word] === undefined ? "" : html` <span class="quiet">${member.words[word]}</span>`}</label>`,
    );
    return html`<fieldset class="field" id="${id}"${marks}><legend>${label}</legend><input type="hidden" name="${name}">${choices}${wrong}${hint}</fieldset>`;
  }
  const words = member.items?.enum;
  if (words)
    return html`<fieldset class="field" id="${id}"${marks}><legend>${label}</legend>${words.map(
      (word) =>
        html`<label class="check"><input type="checkbox" name="${name}" value="${word}"${texts.includes(word) ? html` checked` : ""}> ${choiceText(name, word)}</label>`,
    )}${wrong}${hint}</fieldset>`;
  if (member.type === "boolean")
    return html`<div class="field"><label class="check"><input type="checkbox" id="${id}" name="${name}" value="on"${
      texts.length > 0 ? html` checked` : ""
    }${marks}> ${label}</label>${wrong}${hint}</div>`;
  const picker = pickerOf(about.command, named);
  const attributes = html` id="${id}" name="${name}"${marks}${focus}${member.word === undefined ? "" : html` placeholder="${capital(member.word)}"`}${isRequired ? html` required` : ""}${picker === undefined ? "" : html` list="${picker}"`}`;
  const input = about.offered
    ? offeredWords(about.offered, texts, attributes)
    : control(named, texts, about, attributes);
  const isNaira = member.form?.includes("in naira") && !member.form.includes("%");
  return html`<div class="field"><label for="${id}">${label}</label>${isNaira ? html`<div class="unit">${input}<span aria-hidden="true">₦</span></div>` : input}${wrong}${hint}</div>`;
}

/** Returns the hint, unless the label or the field says enough. For a checkbox, the hint is the whole description. */
function hintOf({ member }: NamedMember, [text = ""]: readonly string[], zone: string): string | undefined {
  if (typeOf(member, text) === "date") return undefined;
  if (member.hint !== undefined || member.items?.hint !== undefined) return member.hint ?? member.items!.hint;
  if (member.type === "boolean") return member.description;
  return member.form === futureTime.form ? `Time of ${zone}` : undefined;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Lists that a field can choose from by name. */
export type Picker = "accounts" | "people" | "keys" | "entries";

/** A choice: the value of the field, and its name. */
export interface Picked {
  value: string;
  text: string;
}

export function pickedOptions(some: readonly Picked[]): Html {
  return html`${some.map(({ value, text }) => html`<option value="${value}">${text}</option>`)}`;
}

/** Returns the list that a field chooses from, or undefined. */
export function pickerOf({ id }: Pick<Command<never>, "id">, { name, member }: NamedMember): Picker | undefined {
  if (member.holds !== undefined || member.enum || member.private) return undefined;
  if (name === "code" && id.startsWith("catalogue.")) return "entries";
  if (member.type === "array") return undefined;
  if (name === "account") return "accounts";
  if (name === "person") return "people";
  return name === "key" || (name === "id" && id.startsWith("keys.")) ? "keys" : undefined;
}

/** Returns the label of a choice. */
export function choiceText(name: string, word: string): string {
  const shows = word.includes(".") ? "event" : name === "state" ? "state" : "text";
  return wordOf({ name, shows, text: word }, new Map());
}

/** Renders choices that depend on the input so far, such as a file's headings. */
function offeredWords({ words, chosen }: Offered[string], [given = chosen]: readonly string[], attributes: Html): Html {
  return html`<select${attributes}>${words.map(({ word, text }) => html`<option value="${word}"${word === given ? html` selected` : ""}>${text}</option>`)}</select>`;
}

function control(
  { name, member, isRequired }: NamedMember,
  texts: readonly string[],
  { command, vendors, byUrl }: Pick<FieldParts, "command" | "vendors" | "byUrl">,
  attributes: Html,
): Html {
  const [given = member.default ?? ""] = texts;
  const text = member.masks ? remark.read(given) : given;
  if (member.enum) {
    const options = (words: readonly string[]) =>
      words.map(
        (word) =>
          html`<option value="${word}"${word === text ? html` selected` : ""}>${choiceText(name, word)}</option>`,
      );
    const [used, others] = [true, false].map((isUsed) =>
      member.enum!.filter((word) => vendors.includes(word) === isUsed),
    );
    const choices =
      member.isVendor && used!.length > 0
        ? html`<optgroup label="In use">${options(used!)}</optgroup><optgroup label="Others">${options(others!)}</optgroup>`
        : options(member.enum);
    // The form preselects nothing.
    const none = !isRequired && byUrl ? (member.unchosen ?? "All") : "–";
    return html`<select${attributes}>${member.default === undefined ? html`<option value="">${none}</option>` : ""}${choices}</select>`;
  }
  if (member.holds === "file")
    return html`<input type="file" class="drop" multiple title="Choose files, or drop them here"${attributes}>`;
  // Several arguments that name one thing together, such as a provider and a code.
  if (member.type === "array" && command.target?.includes(name))
    return html`<input type="text" value="${texts.join(" ")}" autocomplete="off" spellcheck="false"${attributes}>`;
  if (member.type === "array")
    return html`<textarea rows="3" placeholder="One in each line"${attributes}>${texts.join("\n")}</textarea>`;
  // No page contains private texts, not even a form shown again.
  if (member.private || member.pasted)
    return html`<input type="${member.private ? "password" : "search"}" autocomplete="off"${attributes}>`;
  return html`<input type="${typeOf(member, text)}" value="${text}" autocomplete="off" spellcheck="false"${member.form?.startsWith(amount.form) ? html` inputmode="decimal"` : ""}${attributes}>`;
}

function typeOf({ form }: Member, text: string): string {
  // A relative time, such as 1h, does not fit into a date field.
  if (form === moment.form && (text === "" || isDay(text))) return "date";
  if (form === day.form || form === lastDay.form) return "date";
  if (form === futureTime.form) return "datetime-local";
  return form === calendarMonth.form ? "month" : "text";
}
