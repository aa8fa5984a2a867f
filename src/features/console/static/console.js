// Small comforts. Every page works without them.
document.querySelector("[data-print]")?.addEventListener("click", () => print());
for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy));
for (const form of document.querySelectorAll("form.command"))
  form.addEventListener("submit", (event) => {
    if (form.dataset.sending) event.preventDefault();
    // After a file is saved the same page stands there still.
    else if (form.method === "post" && !event.defaultPrevented && form.dataset.saves === undefined)
      form.dataset.sending = "yes";
  });
// What was checked is no longer what the form says.
for (const form of document.querySelectorAll(".desk"))
  form.addEventListener("input", () => form.querySelector(".answer").replaceChildren());
// The response to a form has a secret on the page of a record, which a reload shows without it.
const { address } = document.querySelector("main").dataset;
if (address) history.replaceState(null, "", address);
// A slash goes to the box, unless somebody writes in a field.
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  document.querySelector("#box")?.focus();
});
// What may be the number of a person stands in no address.
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
// What is pasted into the empty box is looked up at once.
const box = document.querySelector("#box");
box?.addEventListener("paste", () => {
  if (box.value === "") setTimeout(() => box.form.requestSubmit());
});
// Names and e-mails come while somebody types; what may be a person's number is not sent.
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
// Back from another page: the form may be sent again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-sending]")) delete form.dataset.sending;
});
// A page stays after a change in its table, and the next change is another one.
addEventListener("htmx:after:request", ({ target }) => {
  const id = target.closest?.("form.inline")?.elements._form;
  if (id) id.value = crypto.randomUUID();
});
