"""The right answers, computed from the data by plain Python: a module for each data set, in it a
function for each question, named as the question.

A scalar is the one value asked for, a list holds rows in order, a set rows in any order; a row
of one cell is the cell alone.
"""
