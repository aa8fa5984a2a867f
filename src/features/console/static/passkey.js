// Browsers offer passkeys to scripts only.
const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser;

/** `body`: the fields of a form, or what is sent as JSON. */
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

/** Runs work with its button off, and says what went wrong. */
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
    const text = said[error.name] ?? error.message;
    if (problem) problem.textContent = text;
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

/** A form in a row stays on its page: htmx sends it. */
function send(form) {
  if (form.matches(".inline")) form.dispatchEvent(new CustomEvent("confirmed"));
  else form.submit();
}

/** Shows what the form would do in its place, and sends it with what the passkey signed. */
function confirmFirst(form, { options, deed, page }) {
  const shown = document.createElement("div");
  shown.innerHTML = page;
  const back = () => {
    shown.remove();
    form.hidden = false;
  };
  const confirm = shown.querySelector("[data-confirm]");
  confirm.addEventListener("click", () =>
    attempt(confirm, async () => {
      form.elements._passkey.value = JSON.stringify(await startAuthentication({ optionsJSON: options }));
      form.elements._deed.value = deed;
      send(form);
      // The page stays when the browser saves a file, or after a form in a row.
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
      const answer = await post(`${form.getAttribute("action")}?_confirm=1`, new FormData(form));
      button.disabled = form.matches(":not(.inline)") && !answer.options;
      if (answer.options) confirmFirst(form, answer);
      else send(form);
    };
    // The session ended: the page to sign in keeps what was typed, and no files.
    const ended = (error) => {
      if (error.status !== 401) throw error;
      for (const file of form.querySelectorAll("[type=file]")) file.disabled = true;
      form.submit();
    };
    attempt(button, () => ask().catch(ended));
  });
  // Its link filled it in: there is only the deed to confirm.
  if (form.dataset.filled !== undefined) form.requestSubmit();
}
