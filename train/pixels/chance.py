"""Measures what a journey's format, size and quality tell of the class: boosted trees on them alone, whole repositories
left out in turn. 0.5 is the aim.

    chance.py --list DATA/images.tsv --files DIR [--rows 1500]
"""
import argparse

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from journey import open_rgb, seeded, travel
from measure import auc
from prepare import file_of, rows_of

KINDS = {"PNG": 0, "JPEG": 1, "WEBP": 2}


def described(path, key):
    """Of the file as it lies in the corpus and of one journey's end: size, kind, quality, subsampling."""
    rng = seeded(key, "chance")
    facts = {"kind": "PNG", "quality": 100, "subsampling": 0}
    image = open_rgb(path)
    before = [image.width, image.height, image.width / image.height]
    image = travel(image, rng, facts)
    after = [image.width, image.height, KINDS[facts["kind"]], facts["quality"], facts["subsampling"]]
    return before, after


def left_out_auc(features, labels, groups):
    """AUC of the pooled scores of five folds that share no repository."""
    scores = np.zeros(len(labels))
    for learn, judge in GroupKFold(5).split(features, labels, groups):
        model = HistGradientBoostingClassifier(max_depth=4, random_state=1).fit(features[learn], labels[learn])
        scores[judge] = model.predict_proba(features[judge])[:, 1]
    return auc(scores[labels == 0], scores[labels == 1])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--list", required=True)
    p.add_argument("--files", required=True)
    p.add_argument("--rows", type=int, default=1500)
    o = p.parse_args()
    rows = [r for r in rows_of(o.list, "train") if r["label"] != "other" and file_of(o.files, r)]
    seeded("chance").shuffle(rows)
    before, after, labels, groups = [], [], [], []
    for row in rows[:o.rows]:
        one, other = described(file_of(o.files, row), row["sha256"])
        before.append(one)
        after.append(other)
        labels.append(int(row["label"] == "ai"))
        groups.append(row["repo"])
    labels = np.array(labels)
    print(f"size of the files as they were found: AUC {left_out_auc(np.array(before), labels, groups):.3f}")
    print(f"size, format, quality and subsampling after a journey: AUC {left_out_auc(np.array(after), labels, groups):.3f}")


if __name__ == "__main__":
    main()
