// What scrolls sideways can be scrolled with the keyboard, too.
const reach = () => {
  for (const box of document.querySelectorAll('.md-typeset__scrollwrap, .md-typeset pre, .md-typeset pre > code')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  }
};
addEventListener('load', () => {
  reach();
  // Each button to copy would be a landmark of its own.
  for (const bar of document.querySelectorAll('.md-code__nav')) bar.setAttribute('role', 'none');
});
addEventListener('resize', reach);
