// What HTMX cannot do: errors at their form, dialogs, the source panel, copying, keys. Everything works without it.
import "./upload.js";

const body = document.body;
body.classList.add("js");

export function say(text) {
  const place = document.getElementById("announce");
  place.textContent = "";
  requestAnimationFrame(() => { place.textContent = text; });
}

// --- errors appear at the form they belong to, else at the top of the page

function problemPlace(element) {
  if (element?.matches("[data-source]")) {
    body.classList.add("source-open");
    return document.getElementById("source");
  }
  return element?.closest("form")?.querySelector("[data-problem]") ?? document.getElementById("problem");
}

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id === "problem") event.detail.target.scrollIntoView({ block: "nearest" });
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  if (xhr.status < 400) return;
  if (requestConfig.verb === "get" && requestConfig.elt.id && ["engine", "poll"].includes(requestConfig.elt.id)) {
    event.detail.shouldSwap = false;
    return;
  }
  event.detail.target = problemPlace(requestConfig.elt);
  event.detail.swapOverride = "innerHTML";
  event.detail.selectOverride = "unset";
  event.detail.isError = false;
});

document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (requestConfig.verb !== "get") problemPlace(elt).replaceChildren();
  else if (!["engine", "poll"].includes(elt.id)) document.getElementById("problem").replaceChildren();
});

document.addEventListener("htmx:sendError", (event) => {
  const { elt } = event.detail;
  if (elt.id === "engine" || elt.id === "poll") return retryLater(elt);
  const notice = document.createElement("p");
  notice.className = "notice bad";
  notice.textContent = body.dataset.offline;
  problemPlace(elt).replaceChildren(notice);
  notice.scrollIntoView({ block: "nearest" });
});

// what asks again by itself goes on asking when the server was away
document.addEventListener("htmx:responseError", (event) => retryLater(event.detail.elt));

function retryLater(element) {
  if (element.id === "engine" || element.id === "poll") {
    setTimeout(() => { if (element.isConnected) htmx.ajax("GET", element.getAttribute("hx-get"), { source: element, target: element, swap: "outerHTML" }); }, 5000);
  }
}

// documents that others uploaded, or that came in a mail, get a row of their own

document.addEventListener("htmx:oobErrorNoTarget", (event) => {
  const row = event.detail.content;
  const list = document.getElementById("documents");
  if (!list || !row.matches("li.document")) return;
  row.removeAttribute("hx-swap-oob");
  list.prepend(row);
  htmx.process(row);
});

// --- asking: Enter sends, Shift+Enter makes a line; the new question goes to the top and the answer grows below it

document.addEventListener("keydown", (event) => {
  const area = event.target.closest?.("form[data-ask] textarea");
  if (!area || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (area.value.trim()) area.form.requestSubmit();
});

document.addEventListener("input", (event) => {
  if (event.target.matches("form[data-ask] textarea") && !CSS.supports("field-sizing", "content")) fit(event.target);
});

function fit(area) {
  area.rows = Math.min(8, Math.max(1, area.value.split("\n").length, Math.ceil(area.value.length / 60)));
}

document.addEventListener("htmx:afterRequest", (event) => {
  const { elt, successful } = event.detail;
  if (!successful || !elt.matches?.("form[data-ask]")) return;
  elt.reset();
  const newest = document.querySelector("#answers > .answer:last-child");
  newest?.scrollIntoView({ block: "start", behavior: calm() ? "auto" : "smooth" });
});

function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

document.addEventListener("htmx:sseClose", (event) => {
  if (event.detail.type === "message") event.target.classList.remove("live");
});

document.addEventListener("htmx:sseError", (event) => {
  const status = event.target.querySelector?.(".status");
  if (status && event.target.classList.contains("live")) status.textContent = body.dataset.lost;
});

// --- an answer opened in mid-writing: show its end
const open = document.querySelector(".answer + .answer.live");
if (open && !location.hash) open.scrollIntoView({ block: "start" });

// --- questions with two answers (delete?) come into the dialog

const dialog = document.getElementById("dialog");
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target === dialog && dialog.childElementCount && !dialog.open) dialog.showModal();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("dialog [data-close]")) {
    event.preventDefault();
    dialog.close();
  }
});
dialog.addEventListener("close", () => dialog.replaceChildren());

// --- the source panel

let chosen = null;

document.addEventListener("htmx:beforeRequest", (event) => {
  if (!event.detail.elt.matches?.("[data-source]")) return;
  chosen?.removeAttribute("aria-current");
  chosen = event.detail.elt;
  chosen.setAttribute("aria-current", "true");
});

document.addEventListener("htmx:afterSwap", (event) => {
  const panel = document.getElementById("source");
  if (!panel || event.detail.target !== panel) return;
  body.classList.add("source-open");
  panel.scrollTop = 0;
  panel.querySelector("#source-title")?.focus({ preventScroll: true });
  const mark = panel.querySelector("mark, .mark")?.getBoundingClientRect();
  const frame = panel.getBoundingClientRect();
  // only the panel moves, and only as far as needed: scrollIntoView would move the page with it
  if (mark && mark.bottom > frame.bottom - 60) panel.scrollTop += mark.top - frame.top - frame.height / 2;
});

function closeSource() {
  if (!body.classList.contains("source-open")) return;
  body.classList.remove("source-open");
  if (chosen?.isConnected) chosen.focus();
  chosen?.removeAttribute("aria-current");
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close-source]")) closeSource();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !dialog.open) closeSource();
});

// --- copying, also where the browser has no clipboard for pages over plain HTTP

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await copy(document.getElementById(button.dataset.copy).textContent);
  const label = button.querySelector("[data-label]");
  label.dataset.before ??= label.textContent;
  label.textContent = body.dataset.copied;
  say(body.dataset.copied);
  setTimeout(() => { label.textContent = label.dataset.before; }, 2000);
});

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

// --- the account menu closes like a menu

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
