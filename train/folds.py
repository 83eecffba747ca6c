"""What features tell of a class in repositories that learning did not see."""
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils.class_weight import compute_sample_weight


def left_out_auc(features, labels, groups):
    """Mean AUC of boosted trees in five folds that share no repository. Classes weigh the same in learning: else what is without
    knowledge tells the share of a class in the other folds, which is low where its own is high."""
    values = []
    for learn, judge in StratifiedGroupKFold(5, shuffle=True, random_state=1).split(features, labels, groups):
        weights = compute_sample_weight("balanced", labels[learn])
        model = HistGradientBoostingClassifier(max_depth=4, random_state=1).fit(features[learn], labels[learn], weights)
        values.append(roc_auc_score(labels[judge], model.predict_proba(features[judge])[:, 1]))
    return float(np.mean(values))
