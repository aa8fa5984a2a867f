// Browsers offer passkeys only to scripts.
const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser;

/** `body`: a form, or data to send as JSON. */
async function post(path, body) {
  const isForm = body instanceof FormData;
  const response = await fetch(path, {
    method: "POST",
    headers: { Accept: "application/json", ...(!isForm && { "Content-Type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status });
  return answer;
}

/** Disables the button and runs `work`. Shows an error, and enables the button again. */
async function attempt(button, work) {
  const own = button.closest("form, section")?.querySelector("[data-problem]");
  const problem = own ?? document.querySelector("[data-problem]");
  if (problem) problem.textContent = "";
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    const said = {
      NotAllowedError: "The passkey was not used. Try again.",
      InvalidStateError: "This device has a passkey of yours already. Choose another device, or a security key.",
    };
    if (problem) problem.textContent = said[error.name] ?? error.message;
    button.disabled = false;
  }
}

const signIn = document.querySelector("[data-sign-in]");
signIn?.addEventListener("click", () =>
  attempt(signIn, async () => {
    const response = await startAuthentication({ optionsJSON: await post("/sign-in/options", {}) });
    const { location: next } = await post(`/sign-in${location.search}`, { response });
    const typed = document.querySelector("[data-typed]");
    if (typed) typed.submit();
    else location.replace(next);
  }),
);

const join = document.querySelector("[data-join]");
join?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(join.querySelector("button"), async () => {
    const invitation = location.hash.slice(1);
    const response = await startRegistration({ optionsJSON: await post("/join/options", { invitation }) });
    const { location: next } = await post("/join", { invitation, name: join.elements.name.value, response });
    location.replace(next);
  });
});

/** htmx sends a form in a row, and the page stays. */
function send(form) {
  if (form.matches(".inline")) form.dispatchEvent(new CustomEvent("confirmed"));
  else form.submit();
}

/** Asks the service for the data that the passkey must sign for the form; nothing for a form that needs no passkey. */
const deedOf = (form) => post(`${form.getAttribute("action")}?_confirm=1`, new FormData(form));

/** Sends the form with the passkey's signature. */
async function sign(form, { options, deed }) {
  const signed = { _passkey: JSON.stringify(await startAuthentication({ optionsJSON: options })), _deed: deed };
  form.onformdata = ({ formData }) => {
    for (const [name, text] of Object.entries(signed)) formData.set(name, text);
  };
  send(form);
}

/** The previews shown beside forms. */
const seen = new WeakMap();

/** Shows the form's preview beside it. */
function showAhead(form, aside) {
  let turn = 0;
  const show = async () => {
    const own = turn;
    const { page } = form.checkValidity() ? await deedOf(form).catch(() => ({})) : {};
    if (own !== turn || !page) return;
    aside.innerHTML = page;
    const deed = aside.firstElementChild;
    // A dangerous change needs its own confirmation as well.
    if (deed.querySelector(".danger")) deed.dataset.danger = "";
    else seen.set(form, page);
    const [title] = deed.querySelectorAll("h1");
    const head = document.createElement("h2");
    head.id = title.id;
    head.append(...title.childNodes);
    title.replaceWith(head);
    for (const said of deed.querySelectorAll(":scope > :is(.quiet, .wrong, .buttons)")) said.remove();
  };
  form.addEventListener("input", () => {
    turn += 1;
    const own = turn;
    seen.delete(form);
    aside.replaceChildren();
    setTimeout(() => own === turn && show(), 400);
  });
  show();
}

/** Shows the confirmation in place of the form, then sends the form with the signature. */
function confirmFirst(form, answer) {
  const shown = document.createElement("div");
  shown.innerHTML = answer.page;
  const back = () => {
    shown.remove();
    form.hidden = false;
  };
  const confirm = shown.querySelector("[data-confirm]");
  confirm.addEventListener("click", () =>
    attempt(confirm, async () => {
      await sign(form, answer);
      // The page stays after a saved file or a form in a row.
      if (form.dataset.saves !== undefined || form.matches(".inline")) back();
    }),
  );
  shown.querySelector("[data-back]").addEventListener("click", back);
  form.hidden = true;
  form.after(shown);
  shown.querySelector("h1").focus();
}

for (const form of document.querySelectorAll("[data-passkey]")) {
  const button = form.querySelector("button");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    delete form.dataset.sending;
    const ask = async () => {
      const made = form.querySelector("[data-new-passkey]");
      if (made) {
        const optionsJSON = await post("/passkeys/options", new FormData(form));
        made.value = JSON.stringify(await startRegistration({ optionsJSON }));
      }
      const answer = await deedOf(form);
      button.disabled = form.matches(":not(.inline)") && !answer.options;
      if (!answer.options) send(form);
      // The preview beside the form is still current.
      else if (answer.page === seen.get(form)) await sign(form, answer);
      else confirmFirst(form, answer);
    };
    // After the session ended, the sign-in page keeps the typed texts, but no files.
    const ended = (error) => {
      if (error.status !== 401) throw error;
      for (const file of form.querySelectorAll("[type=file]")) file.disabled = true;
      form.submit();
    };
    attempt(button, () => ask().catch(ended));
  });
  // The link has filled in everything: only the confirmation is left.
  const aside = form.querySelector("[data-ahead]");
  if (form.dataset.filled !== undefined) form.requestSubmit();
  else if (aside) showAhead(form, aside);
}
