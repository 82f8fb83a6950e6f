"""The script and the style of the page that explains a search: plain files, put into one page by `explain_html`.

walkthrough.js     the data of a walkthrough, and going through it forwards and backwards
layout.js   which nodes are drawn, and where
tree.js     the drawing: nodes, edges, cuts, zoom
panels.js   what stands beside it: the sentence, the window, OPEN or the fringe, the counters
view.js     puts the parts together: buttons, keys, playing; `Stratagem.explain(element, data)`
"""
