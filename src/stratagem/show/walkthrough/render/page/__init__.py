"""Script and style of the page that explains a search: plain files, which `render.html` combines.

walkthrough.js   the data of a walkthrough, and the current step
layout.js        which nodes are drawn, and where
camera.js        zoom and pan
tree.js          the drawing: nodes, edges, cuts
panels.js        the sentence, the window, OPEN or the fringe, the counters
view.js          buttons, keys, playback; `Stratagem.explain(element, data)`
start.js         the start of a stand-alone page
"""
