// Browsers offer passkeys to scripts only.
const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser;

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/** Runs work with its button off, and says what went wrong. */
async function attempt(button, work) {
  const fault = document.querySelector("[data-fault]");
  if (fault) fault.textContent = "";
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    const text = error.name === "NotAllowedError" ? "The passkey was not used. Try again." : error.message;
    if (fault) fault.textContent = text;
    button.disabled = false;
  }
}

const signIn = document.querySelector("[data-sign-in]");
signIn?.addEventListener("click", () =>
  attempt(signIn, async () => {
    const response = await startAuthentication({ optionsJSON: await post("/sign-in/options", {}) });
    const { location: next } = await post(`/sign-in${location.search}`, { response });
    location.replace(next);
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

for (const form of document.querySelectorAll("[data-passkey]")) {
  const note = document.createElement("p");
  note.className = "wrong";
  note.setAttribute("role", "alert");
  note.dataset.fault = "";
  form.append(note);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    delete form.dataset.sending;
    attempt(form.querySelector("button"), async () => {
      const options = await post("/confirm", { token: form.elements._token.value, command: form.dataset.passkey });
      form.elements._passkey.value = JSON.stringify(await startAuthentication({ optionsJSON: options }));
      form.submit();
    });
  });
}
