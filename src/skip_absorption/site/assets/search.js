"use strict";
// Without this script the page is complete; with it, the statements can be searched.
(() => {
  const form = document.querySelector('form[role="search"]');
  const input = document.getElementById("search");
  const count = document.getElementById("count");
  const plain = (text) => text.toLowerCase().normalize("NFKC").replace(/[_{}^$\s]+/g, " ").trim();
  const entries = [...document.querySelectorAll("article.claim")].map((article) => {
    const text = plain(article.textContent + " " + article.id);
    return { article, text: text + " " + text.replace(/ /g, "") };
  });
  const groups = [...document.querySelectorAll(".group")];
  const filter = () => {
    const words = plain(input.value).split(" ").filter(Boolean);
    let shown = 0;
    for (const { article, text } of entries) {
      article.hidden = !words.every((word) => text.includes(word));
      shown += article.hidden ? 0 : 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("article:not([hidden])");
    count.textContent = words.length ? `${shown} of ${entries.length} statements` : "";
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("input", filter);
  filter();
  // A link to a statement shows it even if the search has hidden it.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.closest("[hidden]")) {
      input.value = "";
      filter();
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
})();
