// A page of its own: the walkthrough is in it, and the address remembers the step, so that a reload goes back there.

const asked = Number(/step=(\d+)/.exec(location.hash)?.[1] ?? 1) - 1;
const page = document.querySelector("main");
const view = explain(page, JSON.parse(document.getElementById("walkthrough").textContent), { step: asked });
let later = null;
view.onstep((at) => {
  clearTimeout(later); // a browser allows only so many changes of the address in a second
  later = setTimeout(() => {
    try {
      history.replaceState(null, "", "#step=" + (at + 1));
    } catch {
      // a page inside another has no address of its own
    }
  }, 250);
});
addEventListener("hashchange", () => view.seek(Number(/step=(\d+)/.exec(location.hash)?.[1] ?? 1) - 1, false));
