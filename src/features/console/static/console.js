// Improvements only: every page works without them.
document.querySelector("[data-print]")?.addEventListener("click", () => print());
for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy));
for (const form of document.querySelectorAll("form.command"))
  form.addEventListener("submit", (event) => {
    if (form.dataset.sending) event.preventDefault();
    // After saving a file, the page stays open, so its form stays usable.
    else if (form.method === "post" && !event.defaultPrevented && form.dataset.saves === undefined)
      form.dataset.sending = "yes";
  });
// After an edit, the previous check's result is outdated.
for (const form of document.querySelectorAll(".desk"))
  form.addEventListener("input", () => form.querySelector(".answer").replaceChildren());
// This response contains a secret; a reload of the address shows the record without it.
const { address } = document.querySelector("main").dataset;
if (address) history.replaceState(null, "", address);
// "/" focuses the search box, unless a field has the focus.
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  document.querySelector("#box")?.focus();
});
// No URL may contain a person's number.
const plain = (text) => text.replaceAll(/[^A-Za-z\p{Nd}]/gu, "");
addEventListener("submit", (event) => {
  const fields = event.target.method === "get" ? [...event.target.elements] : [];
  const number = fields.find(({ value = "" }) => /^((234|0)?[789]\p{Nd}{9}|\p{Nd}{11})$/u.test(plain(value)));
  if (!number) return;
  event.preventDefault();
  number.setCustomValidity("This may be the number of a person, which no address may hold. Give its last four digits.");
  number.reportValidity();
  number.addEventListener("input", () => number.setCustomValidity(""), { once: true });
});
// Text pasted into the empty search box is looked up at once.
const box = document.querySelector("#box");
box?.addEventListener("paste", () => {
  if (box.value === "") setTimeout(() => box.form.requestSubmit());
});
// Suggests names and e-mails while typing. Never sends a person's number.
const suggest = (field, list, names) =>
  field.addEventListener("input", async ({ inputType }) => {
    const text = field.value;
    if (inputType === "insertFromPaste" || text.length < 3 || /\p{Nd}{6}/u.test(plain(text))) return;
    const body = new URLSearchParams(new FormData(box.form));
    body.set("text", text);
    const answer = await fetch(`/find?_names=${names}`, { method: "POST", body });
    if (answer.ok && field.value === text) list.innerHTML = await answer.text();
  });
if (box) suggest(box, box.form.querySelector("ul"), 1);
for (const list of document.querySelectorAll("datalist[data-typed]"))
  for (const field of document.querySelectorAll(`[list="${list.id}"]`)) suggest(field, list, list.id);
// After "back" the form may be sent again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-sending]")) delete form.dataset.sending;
});
// A row's form stays on the page, and gets a new id for the next change.
addEventListener("htmx:after:request", ({ target }) => {
  const id = target.closest?.("form.inline")?.elements._form;
  if (id) id.value = crypto.randomUUID();
});
